"""Process that compiles pieces for another one, see `compile_processes`."""

import gc
import importlib
import pickle
import signal
import sys

import numba
from dem.kernels.compiler import jit, stages


def run(folder, fingerprint):
    """Compile the pieces that come in on stdin into a folder, for kernels with this fingerprint.

    Writes a line to stdout when it is ready for the next.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks ends this one
    gc.disable()
    numba.config.CACHE_DIR = folder
    while jit.FINGERPRINT == fingerprint:
        print(flush=True)
        try:
            module, name, argument_types = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        stages.compile_piece(getattr(importlib.import_module(module), name).part, argument_types)
