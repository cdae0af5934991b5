"""Processes that compile pieces beside this one and write them to the same folder.

A combination has some ten pieces of machine code, and numba compiles on one core. Once the arguments of several pieces
are known, other processes compile some of them (`compile_server`). Each piece is compiled by one process, for the same
types and by the same code, so that its bytes and its name are the same as without other processes.

The processes are started as programs of their own and import the kernels alone: they neither copy the threads of this
process nor import its script. They end when they have had nothing to do for a while, or when this process ends. A piece
that one of them cannot compile is compiled here, where an error is raised.
"""

import atexit
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

from numba.core import serialize

START = "import sys; sys.path[:] = {}; from dem.kernels.compiler import compile_server as one; one.run({!r}, {!r})"
IDLE = 5.0  # s without a piece to compile, after which a process ends


def end(process):
    """End a process, and wait until its processor time counts as that of this process's children."""
    process.kill()
    process.wait()


class CompileProcesses:
    """The processes beside this one, each with a thread here that hands it pieces; `most` may be started."""

    def __init__(self):
        self.most, self.running, self.command = 0, 0, None
        self.offered, self.begun = {}, {}  # by symbol: what to compile; events that are set at the end
        self.changed = threading.Condition()

    def offer(self, symbol, part, argument_types):
        """Let another process compile a piece, if one is free; two pieces are worth a process, one is not."""
        is_python = Path(sys.executable or "").name.lower().startswith("python")  # or a program with Python in it
        if not self.most or not is_python:
            return
        job = serialize.dumps((part.py_func.__module__, part.py_func.__qualname__, argument_types))
        with self.changed:
            self.offered[symbol] = job
            self.changed.notify()
            if self.running < self.most and len(self.offered) > self.running + 1:
                self.running += 1
                threading.Thread(target=self.send_pieces, daemon=True).start()

    def withdraw(self, symbol):
        """Whether no other process has begun a piece; none will from now on."""
        with self.changed:
            self.offered.pop(symbol, None)
            return symbol not in self.begun

    def wait(self, symbol):
        """Wait until the process that has begun a piece is done with it."""
        self.begun[symbol].wait()

    def take(self):
        """Symbol of the newest piece and what to compile; None if there is none for a while."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.offered, IDLE):
                self.running -= 1
                return None
            symbol, job = self.offered.popitem()
            self.begun[symbol] = threading.Event()
            return symbol, job

    def send_pieces(self):
        """Start a process, and have it compile pieces until there are none for a while."""
        command = [sys.executable, "-c", START.format(list(sys.path), *self.command)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with suppress(OSError), subprocess.Popen(command, **pipes) as process:  # one that ends leaves its piece undone
            stop = partial(end, process)
            atexit.register(stop)
            try:
                while process.stdout.readline() and (piece := self.take()):
                    symbol, job = piece
                    try:
                        process.stdin.write(job)
                        process.stdin.flush()
                        process.stdout.peek()  # waits for the line that tells of the end
                    finally:
                        self.begun[symbol].set()
            finally:
                atexit.unregister(stop)


OTHERS = CompileProcesses()
