"""Progress bar with the name of the current task and of kernels being compiled; lines can be printed above it."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from dem.base.compilation import messages_to
from dem.base.progress import RemainingTime, clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Thing = TypeVar("Thing")


class TimeLeft(TimeRemainingColumn):
    """Time left, estimated by earlier durations of the same tasks, else by the tasks done."""

    def render(self, task: Task) -> Text:
        """Present text of the column."""
        left = task.fields["left"]()
        return super().render(task) if left is None else Text(f"about {clock(left)}", style="progress.remaining")


class ProgressBar(Progress):
    """Progress bar with a task, its share, and the times elapsed and left."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeLeft(table_column=Column(no_wrap=True)), TextColumn("{task.fields[compiled]}"),
        )  # fmt: skip
        super().__init__(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)

    def add_task(self, description: str, *settings: object, **fields: object) -> TaskID:
        """Add a task, see `rich.progress.Progress.add_task`."""
        return super().add_task(description, *settings, **{"compiled": "", "left": lambda: None, **fields})

    def each(self, doing: str, things: Mapping[str, Thing], *, how: str = "") -> Iterator[tuple[str, Thing]]:
        """Iterate over tasks and show their names; `how` distinguishes kinds of work with different durations."""
        took = RemainingTime({name: f"{doing} {name} {how}".strip() for name in things} if not self.disable else {})
        task = self.add_task(doing, total=len(things), left=took.left)

        def compiling(name: str) -> None:
            self.update(task, compiled=name and f"compiling {name}")

        with nullcontext() if self.disable else messages_to(compiling):
            for name, thing in things.items():
                self.update(task, description=f"{doing} {name}")
                yield name, thing
                took.end(name)
                self.advance(task)

    def say(self, line: str) -> None:
        """Print a line on stdout, above the bar if both are on one terminal."""
        if self.disable or not sys.stdout.isatty():
            typer.echo(line)
        else:
            self.print(line, markup=False, highlight=False, soft_wrap=True)
