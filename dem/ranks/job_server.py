"""Job server: rank 0 broadcasts orders, and all ranks carry them out together.

The user's program, files and decisions are on rank 0 alone. The other ranks wait for orders: to make an object, to
call one of its methods, or to drop it. Methods communicate through the communicator that the object was made with.
"""

from __future__ import annotations

import itertools
import pickle
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.ranks.communicator import Communicator
    from dem.ranks.domain_decomposition import Partition

MAKE, DROP, END = "make", "drop", "end"


class JobServer:
    """All ranks, as rank 0 uses them.

    Parameters
    ----------
    communicator : Communicator
        Communicator of rank 0.
    owners : callable, optional
        Makes the partition of bodies among ranks, see `dem.ranks.domain_decomposition`; results do not depend on it.
    """

    current: JobServer | None = None  # server of all simulations that are made from now on

    def __init__(self, communicator: Communicator, owners: Callable[[], Partition] | None = None) -> None:
        self.communicator, self._owners = communicator, owners
        self._numbers = itertools.count()
        self._dropped: list[int] = []
        self._ended = False
        self.status = 0  # exit status of the program as far as known, with which all ranks end
        self._latest: RemoteObject | None = None  # described at the end of a run, after its simulation is gone

    def owners(self) -> Partition:
        """A new partition of bodies among ranks."""
        from dem.ranks.domain_decomposition import Bisection  # noqa: PLC0415, with numpy, which a command line waits for

        return (self._owners or Bisection)()

    def make(self, kind: Callable, *given: object) -> RemoteObject:
        """Make an object `kind(communicator, *given)` on each rank.

        Raises ValueError if the arguments cannot be sent, or not be read on another rank, such as objects of a class
        that the program itself defines: other ranks import modules, but do not run the program.
        """
        number = next(self._numbers)
        try:
            packed = pickle.dumps((kind, given))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            message = f"this run cannot be handed to other ranks: {error}; run it without mpiexec"
            raise ValueError(message) from None
        self._say(number, MAKE, (packed,))
        if problem := next(filter(None, self.communicator.allgather("")), ""):
            message = (
                f"this run cannot be handed to other ranks, which do not run this program: {problem}; define what "
                "is its own in a module that it imports, or run it without mpiexec"
            )
            raise ValueError(message)
        self._latest = RemoteObject(self, number, kind(self.communicator, *given))
        return self._latest

    def order(self, number: int, own: object, name: str, *given: object) -> object:
        """Call a method of an object on each rank; returns the result of rank 0."""
        self._say(number, name, given)
        try:
            return getattr(own, name)(*given)
        except BaseException as error:
            self._ended = True
            self.communicator.fail(error)
            raise

    def drop(self, number: int) -> None:
        """Drop an object on each rank, together with the next order."""
        self._dropped.append(number)

    @property
    def described(self) -> str:
        """How the latest object is shared among ranks, in a line."""
        description = self._latest.do("described") if self._latest else "nothing was shared"
        return f"{self.communicator.ranks} ranks: {description}"

    def end(self) -> None:
        """End the other ranks."""
        if not self._ended:
            self._ended = True
            self.communicator.bcast((0, END, (self.status,), []))

    def _say(self, number: int, name: str, given: tuple) -> None:
        if self._ended:
            message = "the other ranks have ended: nothing more can be computed"
            raise RuntimeError(message)
        dropped, self._dropped = self._dropped, []
        self.communicator.bcast((number, name, given, dropped))


class RemoteObject:
    """An object that exists on all ranks, as rank 0 refers to it; dropped with this reference."""

    def __init__(self, server: JobServer, number: int, own: object) -> None:
        self.server, self.number, self.own = server, number, own
        weakref.finalize(self, server.drop, number)

    def do(self, name: str, *given: object) -> object:
        """Call a method on all ranks; returns the result of rank 0."""
        return self.server.order(self.number, self.own, name, *given)


def sharing_of_latest() -> str:
    """A line that says how ranks shared the latest simulation, after a line break; "" without ranks."""
    return f"\n{JobServer.current.described}" if JobServer.current else ""


def refuse(what: str) -> None:
    """Raise ValueError if there are several ranks, for computations that use one process."""
    if JobServer.current is not None:
        ranks = JobServer.current.communicator.ranks
        message = f"{what} cannot be shared by {ranks} ranks: start it without mpiexec, and it may use threads"
        raise ValueError(message)


def set_exit_status(code: object) -> None:
    """Let all ranks end with the exit status of a `SystemExit` of this code, if there are several."""
    if JobServer.current is not None:
        JobServer.current.status = code & 0xFF if isinstance(code, int) else int(code is not None)


def serve(communicator: Communicator) -> int:
    """Carry out the orders of rank 0 until it ends; returns its exit status."""
    things: dict[int, object] = {}
    try:
        while True:
            number, name, given, dropped = communicator.bcast()
            for gone in dropped:
                things.pop(gone, None)
            if name == END:
                return given[0]
            if name == MAKE:
                made, problem = _unpacked(given[0])
                if not any(communicator.allgather(problem)):
                    kind, arguments = made
                    things[number] = kind(communicator, *arguments)
            else:
                getattr(things[number], name)(*given)
    except BaseException as error:
        communicator.fail(error)
        raise


def _unpacked(packed: bytes) -> tuple[tuple, str]:
    """The objects that rank 0 has sent, and "", or why they cannot be read here."""
    try:
        return pickle.loads(packed), ""
    except Exception as error:  # of any kind, as modules of the user are imported here
        return (), f"{type(error).__name__}: {error}"


@contextmanager
def at_work(server: JobServer) -> Iterator[None]:
    """Let a server share the simulations that are made within the context."""
    before, JobServer.current = JobServer.current, server
    try:
        yield
    finally:
        JobServer.current = before
        server.end()
