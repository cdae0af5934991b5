"""Process that compiles stages for another process, see `compile_processes`."""

import gc
import importlib
import pickle
import signal
import sys

import numba
from dem.kernels.compiler import jit, stages


def run(folder, fingerprint):
    """Compile the stages received on stdin into a folder, for kernels with a given fingerprint.

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
        stages.compile_stage(getattr(importlib.import_module(module), name).part, argument_types)
