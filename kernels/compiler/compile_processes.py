"""Other processes that compile stages at the same time and write them to the same cache folder.

A kernel calls some ten stages, and numba compiles on one core. Once the argument types of several stages are known,
other processes compile some of them (`compile_server`). Each stage is compiled by one process, for the same types and
by the same code, so that its bytes and its name are the same as without other processes.

The processes are started as programs of their own and import the kernels alone: they neither copy the threads of this
process nor import its script. They end when they have had nothing to do for a while, or when this process ends. If one
of them cannot compile a stage, this process compiles it, and raises the error.
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
IDLE = 5.0  # s without a stage to compile, after which a process ends


def end(process):
    """End a process, and wait until its CPU time counts as that of a child of this process."""
    process.kill()
    process.wait()


class CompileProcesses:
    """Pool of at most `most` compiling processes, each with a thread here that sends it jobs."""

    def __init__(self):
        self.most, self.running, self.command = 0, 0, None
        self.offered, self.begun = {}, {}  # by symbol: what to compile; events that are set at the end
        self.changed = threading.Condition()

    def offer(self, symbol, part, argument_types):
        """Offer a stage to other processes; start one if more stages wait than processes run."""
        is_python = Path(sys.executable or "").name.lower().startswith("python")  # or a program with Python in it
        if not self.most or not is_python:
            return
        job = serialize.dumps((part.py_func.__module__, part.py_func.__qualname__, argument_types))
        with self.changed:
            self.offered[symbol] = job
            self.changed.notify()
            if self.running < self.most and len(self.offered) > self.running + 1:
                self.running += 1
                threading.Thread(target=self.send_stages, daemon=True).start()

    def withdraw(self, symbol):
        """Withdraw the offer of a stage; returns whether no other process has begun it."""
        with self.changed:
            self.offered.pop(symbol, None)
            return symbol not in self.begun

    def wait(self, symbol):
        """Wait until the process that has begun a stage has finished it."""
        self.begun[symbol].wait()

    def take(self):
        """Symbol and job of the stage offered last; None if none is offered for `IDLE` seconds."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.offered, IDLE):
                self.running -= 1
                return None
            symbol, job = self.offered.popitem()
            self.begun[symbol] = threading.Event()
            return symbol, job

    def send_stages(self):
        """Start a process, and send it stages to compile until none is offered for a while."""
        command = [sys.executable, "-c", START.format(list(sys.path), *self.command)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with suppress(OSError), subprocess.Popen(command, **pipes) as process:  # if it ends, its stage is compiled here
            stop = partial(end, process)
            atexit.register(stop)
            try:
                while process.stdout.readline() and (offered := self.take()):
                    symbol, job = offered
                    try:
                        process.stdin.write(job)
                        process.stdin.flush()
                        process.stdout.peek()  # waits for the line that tells of the end
                    finally:
                        self.begun[symbol].set()
            finally:
                atexit.unregister(stop)


OTHERS = CompileProcesses()
