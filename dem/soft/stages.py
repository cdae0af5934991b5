"""The parts of a step, one by one, for timing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from dem.kernels.soft.integration import stage_benchmark as kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.soft.engine import Engine


@contextmanager
def stages(engine: Engine) -> Iterator[dict[str, Callable[[int], object]]]:
    """Parts of a step, and the making of each list, to be done a number of times; the state is put back after."""
    e, sums, still = engine, engine.chunk_sums, engine.constants._replace(dt=0.0)
    before = [a.copy() for a in e.bodies]
    lists = (e.bodies, e.kinds, e.lists.arrays, e.walls.faces)
    yield {
        "predict": lambda k: kernels.predict(k, e.scheme, e.law, still, *lists, sums),
        "evaluate": lambda k: kernels.evaluate(k, e.scheme, e.law, still, *lists, sums),
        "correct": lambda k: kernels.correct(k, e.scheme, e.law, e.fluid.model, still, *lists, sums),
        "step": lambda k: kernels.step(k, e.mode, e.scheme, e.law, e.fluid.model, still, *lists, sums),
        "pick candidates": lambda k: kernels.pick(k, e.mode, e.scheme, e.law, e.fluid.model, still, *lists, sums),
        "list neighbours": lambda k: [e.rebuild() for _ in range(k)],
    }
    for array, values in zip(e.bodies, before, strict=True):
        array[...] = values
    e.rebuild()
