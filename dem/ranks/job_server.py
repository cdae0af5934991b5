"""How rank 0 has all ranks work: it says what is to be done next, and does its own part of it.

All that users write, all files and all decisions are rank 0's alone. The others wait for orders: each makes an object,
has one do something, or lets it go. What they do then they do together, by their communicator.
"""

from __future__ import annotations

import itertools
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.ranks.communicator import Communicator
    from dem.ranks.load_balancing import Partition

MAKE, DROP, END = "make", "drop", "end"


class JobServer:
    """All ranks, as rank 0 sees them.

    Parameters
    ----------
    communicator : Communicator
        Rank 0's.
    owners : callable, optional
        Makes what decides who has which body, see `dem.ranks.load_balancing`; it shows in no bit.
    """

    current: JobServer | None = None  # whose ranks share the simulations that are made

    def __init__(self, communicator: Communicator, owners: Callable[[], Partition] | None = None) -> None:
        self.communicator, self._owners = communicator, owners
        self._numbers = itertools.count()
        self._dropped: list[int] = []
        self._ended = False
        self._latest: RemoteObject | None = None  # kept, so that it can be told of when whoever made it is gone

    def owners(self) -> Partition:
        """What decides who has which body."""
        from dem.ranks.load_balancing import Bisection  # noqa: PLC0415, with numpy, which a command line waits for

        return (self._owners or Bisection)()

    def make(self, kind: Callable, *given: object) -> RemoteObject:
        """Have each rank make an object, of its communicator and what is given."""
        number = next(self._numbers)
        self._say(number, MAKE, (kind, *given))
        hand = RemoteObject(self, number, kind(self.communicator, *given))
        self._latest = hand
        return hand

    def order(self, number: int, own: object, name: str, *given: object) -> object:
        """Have each rank do something with such an object; returns what comes of it here."""
        self._say(number, name, given)
        try:
            return getattr(own, name)(*given)
        except BaseException as error:
            self._ended = True
            self.communicator.fail(error)
            raise

    def drop(self, number: int) -> None:
        """Have each rank forget an object, when there is something else to be said."""
        self._dropped.append(number)

    @property
    def described(self) -> str:
        """How ranks share what was made last, in a line."""
        told = self._latest.do("described") if self._latest else "nothing was shared"
        return f"{self.communicator.ranks} ranks: {told}"

    def end(self) -> None:
        """There is nothing more to be done."""
        if not self._ended:
            self._ended = True
            self.communicator.bcast((0, END, (), []))

    def _say(self, number: int, name: str, given: tuple) -> None:
        if self._ended:
            message = "the other ranks have ended: nothing more can be computed"
            raise RuntimeError(message)
        dropped, self._dropped = self._dropped, []
        self.communicator.bcast((number, name, given, dropped))


class RemoteObject:
    """An object that all ranks have, by which rank 0 has them work; gone with it."""

    def __init__(self, crew: JobServer, number: int, own: object) -> None:
        self.crew, self.number, self.own = crew, number, own
        weakref.finalize(self, crew.drop, number)

    def do(self, name: str, *given: object) -> object:
        """Have all do something; returns what comes of it here."""
        return self.crew.order(self.number, self.own, name, *given)


def shared() -> str:
    """A line that tells how ranks have shared the latest simulation, with the end of the line before; or nothing."""
    return f"\n{JobServer.current.described}" if JobServer.current else ""


def refuse(what: str) -> None:
    """Raise ValueError where there are several ranks, for what one computes alone."""
    if JobServer.current is not None:
        ranks = JobServer.current.communicator.ranks
        message = f"{what} cannot be shared by {ranks} ranks: start it without mpiexec, and it may use threads"
        raise ValueError(message)


def serve(communicator: Communicator) -> None:
    """Do what rank 0 says, until it says that this is the end."""
    things: dict[int, object] = {}
    try:
        while True:
            number, name, given, dropped = communicator.bcast()
            for gone in dropped:
                things.pop(gone, None)
            if name == END:
                return
            if name == MAKE:
                things[number] = given[0](communicator, *given[1:])
            else:
                getattr(things[number], name)(*given)
    except BaseException as error:
        communicator.fail(error)
        raise


@contextmanager
def at_work(crew: JobServer) -> Iterator[None]:
    """Have a crew share the simulations that are made meanwhile."""
    before, JobServer.current = JobServer.current, crew
    try:
        yield
    finally:
        JobServer.current = before
        crew.end()
