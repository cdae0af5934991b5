"""Parts, wholes, and plain compiling: the same functions, the same bits."""

import itertools
import math
import operator
import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from dem.kernels import laws
from dem.kernels.compiler import (
    compile_processes,
    disk_cache,
    fast_call,
    inference,
    jit,
    link_time_inlining,
    stage_lock,
)
from dem.kernels.laws import hertz
from dem.kernels.numerics import quaternion
from numba import typeof
from numba.core import types

import dem

compiled = pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="looks at compiled code")

TWO_SPHERES = """
import dem
from dem.kernels.compiler import jit
glass = dem.Material(young=5e7, poisson=0.3, density=2500.0)
spheres = dem.Particles(
    dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0], [0.01, 0.001, 0]], velocity=[[1, 0, 0], [0, 0, 0]]
)
sim = dem.Simulation(spheres, time_step=1e-6)
sim.run(200e-6)
p = sim.particles
assert p.velocity[1, 0] > 0
print(jit.PLAIN, *(a.tobytes().hex() for a in (p.position, p.velocity, p.orientation, p.angular_velocity)))
"""


@compiled
@pytest.mark.parametrize(
    ("part", "arguments"),
    [
        (hertz.force, (3e6, 0.7)),
        (quaternion.product, ((0.5, 0.1, -0.7, 0.3), (0.2, -0.4, 0.6, 0.9))),
        (quaternion.rotate, ((0.5, 0.5, -0.5, 0.5), (1.0, 2.0, 3.0))),
    ],
)
def test_a_part_called_from_python_is_what_it_says(part, arguments):
    assert part(*arguments) == part.py_func(*arguments)


def test_numba_has_what_parts_lean_on(monkeypatch):
    assert link_time_inlining.is_as_expected()
    monkeypatch.setattr(
        link_time_inlining,
        "EXPECTED",
        (*link_time_inlining.EXPECTED, (link_time_inlining.codegen.JITCodeLibrary, "no_such_name")),
    )
    assert not link_time_inlining.is_as_expected()


@compiled
@pytest.mark.skipif(jit.PLAIN, reason="numba types each call anew")
@pytest.mark.parametrize("operation", [operator.add, operator.truediv, operator.lt, math.sqrt])
def test_operators_have_the_types_that_numba_finds(operation):
    context = jit.numba.core.registry.cpu_target.typing_context
    context.refresh()  # nothing may have been compiled yet
    function, numbers = context.resolve_value_type(operation), (types.int32, types.int64, types.float64, types.boolean)
    count = 1 if operation is math.sqrt else 2
    for _ in range(2):
        for arguments in itertools.product(numbers, repeat=count):
            found = function.get_call_type(context, arguments, {})
            assert found == inference.ORIGINAL["get_call_type"](function, context, arguments, {})


@jit.inline
def entry(values, k):
    """One of an array."""
    return values[k]


@compiled
def test_indices_count_from_the_end_in_users_functions_but_not_in_kernels():
    """Who asks a kernel for entry -1 gets what lies before the array: here the last of the array before."""
    both = np.arange(6.0)
    assert entry(both[3:], 1) == 4
    assert entry(both[3:], -1) == 2
    assert jit.numba.njit(entry.py_func)(both[3:], -1) == 5


@jit.kernel
def sum_of_two(values, rows):
    """Of an entry whose number is in a list of short integers and one that is counted."""
    return entry(values, rows[0]) + entry(values, values.size - 1)


@compiled
@pytest.mark.skipif(jit.PLAIN, reason="numba makes both")
def test_a_part_is_made_once_for_short_and_long_integers():
    assert sum_of_two(np.arange(6.0), np.array([2], np.int32)) == 7
    sum_of_two.recompile()  # what lies on disk makes no parts
    assert {call[1] for call in entry.dispatcher.overloads} == {types.int64}


@jit.inline
def extremes(a, b, c):
    """Of two and of three numbers."""
    return min(a, b), max(a, b), min(a, b, c), max(a, b, c)


@compiled
@pytest.mark.parametrize(
    "numbers",
    [(2, 1, 3), (1.5, 1, 2), (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0), (np.nan, 1.0, 2.0), (1.0, np.nan, 0.5)],
)
def test_extremes_of_numbers_are_those_of_python(numbers):
    """Which of two equal ones it is, and what not-a-number does, hangs on who is asked first."""
    expected = np.array(extremes.py_func(*numbers), float)
    assert np.array(extremes(*numbers), float).tobytes() == expected.tobytes()


@compiled
@pytest.mark.skipif(jit.PLAIN, reason="numba makes functions of them")
@pytest.mark.parametrize("function", [min, max])
def test_extremes_are_written_where_they_are_asked_for(function):
    """numba's own way is a function, with machine code of its own, for each list of types."""
    context = extremes.dispatcher.typingctx
    context.refresh()
    known = context.resolve_value_type(function)
    signature = known.get_call_type(context, (types.int64, types.float64), {})
    assert known.get_impl_key(signature) is function


@jit.inline
def lengths(values, begin, end):
    """Of slices."""
    cut = values[begin:end]
    return cut.size, values[begin:].size, values[:end].size, cut[cut.size - 1]


@jit.inline
def count_between(values, begin, end):
    """How many there are."""
    return values[begin:end].size


@compiled
@pytest.mark.parametrize("end", [4, 6, 7, 99])
def test_slices_end_where_arrays_do(end):
    values = np.arange(6.0)
    assert lengths(values, 2, end) == lengths.py_func(values, 2, end)


def test_a_slice_that_ends_before_it_begins_is_empty():
    assert count_between(np.arange(6.0), 4, 3) == 0


@jit.kernel
def last_of_all(values):
    """Of an array of two axes, as one."""
    row = values.reshape(-1)
    return row[row.size - 1]


@compiled
def test_arrays_of_kernels_can_be_seen_in_another_shape():
    """numba looks for shapes in memory then, where arrays of kernels are not."""
    assert last_of_all(np.arange(6.0).reshape(2, 3)) == 5


@jit.noinline
def after(k):
    """It cannot fail: where LLVM sees all its calls it takes away the argument that says why."""
    return k + 1


@jit.compiled_stage
def two_after(k):
    """With a call of the part in machine code of its own."""
    return after(after(k))


@jit.kernel
def both(k):
    """With calls of both."""
    return two_after(k), after(k)


@compiled
def test_a_part_is_the_same_in_a_piece_and_beside_it():
    """A kernel does not call the part as LLVM has changed it in a piece: such calls failed, or told an address."""
    assert both(5) == (7, 6)


@jit.compiled_stage(returns=0)
def three_after(k):
    """A stage whose callers are compiled before it."""
    return after(after(after(k)))


@jit.kernel
def four_after(k):
    """With a call of it."""
    return three_after(k) + 1


@jit.compiled_stage(returns=0.0)
def whole_number(k):
    """Returns another type than it says."""
    return after(k)


@jit.kernel
def misled(k):
    """With a call of it."""
    return whole_number(k)


@compiled
@pytest.mark.skipif(jit.PLAIN, reason="there are no stages")
def test_a_stage_that_says_what_it_returns_is_compiled_after_its_caller_and_has_to_return_that():
    assert four_after(5) == 9
    for _ in range(2):  # nothing of the first attempt is left
        with pytest.raises(Exception, match="whole_number returns int64, and says float64"):
            misled(5)


ANSWERS = """
import pickle, sys
print(flush=True)
while job := pickle.load(sys.stdin.buffer):
    if job[1] == "dies":
        sys.exit()
    print(flush=True)
"""


def test_a_call_that_is_announced_is_compiled_ahead():
    given = []
    jit.compile_ahead(SimpleNamespace(compile_ahead=lambda *arguments: given.append(arguments)), 1, 2.0)
    assert given == [(1, 2.0)]


def test_stages_are_compiled_by_one_process_and_by_this_one_if_that_dies(monkeypatch):
    """One that another process has begun is not compiled here before it is done; one that is withdrawn only here."""
    monkeypatch.setattr(compile_processes, "START", ANSWERS)
    others = compile_processes.CompileProcesses()
    others.most, others.command = 1, ()
    parts = [SimpleNamespace(py_func=SimpleNamespace(__module__="a", __qualname__=name)) for name in ("lives", "dies")]
    others.offer("alone", parts[0], ())
    assert others.running == 0  # one stage is not worth a process
    assert others.withdraw("alone")
    for symbol, part in (("second", parts[1]), ("first", parts[0])):  # the newest is taken first
        others.offer(symbol, part, ())
    assert others.running == 1
    while not {"first", "second"} <= others.begun.keys():
        time.sleep(0.001)
    for symbol in ("first", "second"):
        assert not others.withdraw(symbol)
        others.wait(symbol)
    others.offer("third", parts[0], ())
    assert others.withdraw("third")


TOUCHING = """
spheres = dem.Particles(dem.Sphere(diameter=0.01), dem.Material(young=1e6, poisson=0.3, density=1e3),
                        position=[[0, 0, 0], [0.009, 0, 0]])
sim = dem.Simulation(spheres, time_step=1e-6)
sim.run(2e-5)
"""
BESIDE = f"""
import hashlib, os, sys
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
import dem
from dem.base import compilation
from dem.kernels.compiler import compile_processes, stages
compilation.BESIDE = int(sys.argv[2])
{TOUCHING}
pieces = sorted((one.symbol, one.code) for one in stages.ALL.made.values())
code = hashlib.sha256(repr(pieces).encode()).hexdigest()
print(len(compile_processes.OTHERS.begun) > 0, code, sim.particles.position.tobytes().hex())
"""


@compiled
@pytest.mark.slow
def test_other_processes_compile_the_same_bytes(tmp_path):
    said = [
        subprocess.run(
            [sys.executable, "-c", BESIDE, str(tmp_path / beside), beside], capture_output=True, text=True, check=True
        ).stdout.split()
        for beside in ("0", "1")
    ]
    assert [one[0] for one in said] == ["False", "True"]
    assert said[0][1:] == said[1][1:]


COUNTED = f"""
import os, sys
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
import dem
from dem.base import compilation
from dem.kernels.compiler import stages
compilation.BESIDE, compiled, make = 0, [], stages.make
stages.make = lambda part, types, symbol: compiled.append(symbol) or make(part, types, symbol)
print("ready", flush=True)
sys.stdin.readline()
{TOUCHING}
print(*compiled)
"""


@compiled
@pytest.mark.slow
@pytest.mark.skipif(jit.PLAIN, reason="there are no stages")
def test_two_runs_that_start_together_compile_each_stage_once(tmp_path):
    command, pipes = [sys.executable, "-c", COUNTED, str(tmp_path)], {"stdin": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, **pipes) for _ in range(2)]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        run.stdin.write("go\n")
        run.stdin.flush()
    compiled_by = [run.communicate()[0].split() for run in runs]
    assert all(run.returncode == 0 for run in runs)
    symbols = [symbol for symbols in compiled_by for symbol in symbols]
    assert len(symbols) == len(set(symbols)) > 0


@pytest.mark.skipif(stage_lock.fcntl is None, reason="the system has no such locks")
def test_a_stage_locked_by_a_process_that_was_stopped_is_compiled_in_the_end(tmp_path, monkeypatch):
    """A lock that another process keeps is waited for during a limited time. Other stages do not wait for it."""
    holds = (
        "import sys; from dem.kernels.compiler import stage_lock as one; one.numba.config.CACHE_DIR = sys.argv[1]\n"
        "with one.locked('a' * 24): print('locked', flush=True); sys.stdin.read()"
    )
    monkeypatch.setattr(stage_lock.numba.config, "CACHE_DIR", str(tmp_path))
    file = stage_lock.lock_file(str(tmp_path))
    place, other = (int(digit * stage_lock.DIGITS, 16) for digit in "ab")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", holds, str(tmp_path)], **pipes) as process:
        assert process.stdout.readline() == "locked\n"
        monkeypatch.setattr(stage_lock, "PATIENCE", 0.05)
        assert stage_lock.lock_when_free(file, other)
        assert not stage_lock.lock_when_free(file, place)
        process.communicate("")
    assert stage_lock.lock_when_free(file, place)  # which its end has unlocked


class Elastic(NamedTuple):
    """Named as a law of ours is."""


@pytest.mark.skipif(jit.PLAIN, reason="nothing is kept")
def test_what_may_change_unseen_is_not_kept():
    number = types.float64
    ours, theirs = (types.NamedTuple((), one) for one in (laws.Elastic, Elastic))
    force = hertz.force.py_func
    assert disk_cache.cache_key(force, (number, number)) is not None
    assert disk_cache.cache_key(force, (ours, number)) != disk_cache.cache_key(force, (number, number))
    assert disk_cache.cache_key(force, (ours,)) is not None
    assert disk_cache.cache_key(force, (theirs,)) is None  # a type of others
    assert disk_cache.cache_key(lambda x: x, (number,)) is None  # a function of others
    assert disk_cache.cache_key(force, (types.Dispatcher(hertz.force),)) is None  # a function as an argument


@compiled
@pytest.mark.slow
def test_plain_compiling_gives_the_same_bits(tmp_path):
    """As `dem.kernels.compiler.jit` does where numba is not as expected; it takes a minute."""
    said = {}
    for plain in ("", "1"):
        environment = {**os.environ, "PCDM_DEM_PLAIN": plain, "NUMBA_CACHE_DIR": str(tmp_path / f"plain{plain}")}
        command = [sys.executable, "-c", TWO_SPHERES]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        what, *state = done.stdout.splitlines()[-1].split()
        said[what] = state
    assert said["True"] == said["False"]


THREADS = """
import numpy as np
from dem.kernels.compiler import jit
from dem.kernels.soft.neighbours import linked_cells as lists
jit.set_threads(2)
order = np.random.default_rng(0).permutation(5000)
rows = np.arange(10000.0).reshape(2, 5000)
expected, scratch = rows[:, order], np.empty(5000)
if OUT:
    order[4000] = 5000
lists.reorder(order, rows, scratch)
assert (rows == expected).all()
"""
TWO_THREADS = {"NUMBA_NUM_THREADS": "2"}  # also where there is one core


@compiled
@pytest.mark.parametrize("plain", ["", "1"])
@pytest.mark.few(1)
def test_threads_do_what_loops_do_with_and_without_numbas_insides(plain, tmp_path):
    environment = {**os.environ, **TWO_THREADS, "PCDM_DEM_PLAIN": plain, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):  # the second one finds what the first has compiled
        subprocess.run([sys.executable, "-c", THREADS.replace("OUT", "False")], check=True, env=environment)


@compiled
@pytest.mark.slow
def test_a_thread_that_goes_out_of_bounds_is_heard(tmp_path):
    environment = {**os.environ, **TWO_THREADS, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", THREADS.replace("OUT", "True")]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "IndexError: index out of bounds in a thread" in done.stderr


OTHERS = """
import sys
from dem.kernels.numerics.vector import dot
if len(sys.argv) > 1:
    from mine import Mine
    assert dot(Mine(1.0, 2.0, 3.0), Mine(1.0, 2.0, 3.0)) == 14.0
assert dot((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)) == 14.0
"""


@compiled
@pytest.mark.slow
def test_what_is_called_with_types_of_others_is_not_kept(tmp_path):
    """Whoever has not got them could read nothing of that function, and whoever changes them would not be heard."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    (tmp_path / "mine.py").write_text(
        "from typing import NamedTuple\nMine = NamedTuple('Mine', x=float, y=float, z=float)"
    )
    theirs = {**environment, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, "-c", OTHERS, "theirs"], check=True, env=theirs)
    subprocess.run([sys.executable, "-c", OTHERS], check=True, env=environment)


ONE_STEP = """
import dem
from dem.kernels.compiler import stages as pieces
glass = dem.Material(young=5e7, poisson=0.3, density=2500.0)
spheres = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0], [0.01, 0.001, 0]])
dem.Simulation(spheres, time_step=1e-6).run(20e-6)
print(*sorted(pieces.ALL.made))
"""


@compiled
@pytest.mark.slow
@pytest.mark.skipif(jit.PLAIN, reason="nothing is machine code of its own")
def test_a_piece_that_is_gone_or_broken_is_made_again(tmp_path):
    """Kernels that call it are loaded with it; the others are left as they were."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run():
        done = subprocess.run(
            [sys.executable, "-c", ONE_STEP], check=True, env=environment, capture_output=True, text=True
        )
        return done.stdout.split(), {path.name: path.read_bytes() for path in tmp_path.rglob("*.stage")}

    names, files = run()
    assert {f"{name}.stage" for name in names} == set(files)
    first, second = sorted(tmp_path.rglob("*.stage"), key=lambda path: path.stat().st_size)[:2]
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1])
    again, remade = run()
    assert again == names
    assert remade.keys() == files.keys()


class Pair(NamedTuple):
    """Two arrays and a number."""

    a: np.ndarray
    b: np.ndarray
    c: float


@compiled
@pytest.mark.parametrize(
    "b",
    [
        np.ones((2, 5)), np.ones((2, 0)), np.ones(3), np.ones((2, 3), np.int64), np.ones((3, 2)).T,
        np.broadcast_to(1.0, (2, 3)), np.frombuffer(bytes(48)).reshape(2, 3), np.float64(2.0),
    ],
    ids=["longer", "empty", "flat", "integers", "transposed", "strided", "read-only", "number"],
)  # fmt: skip
def test_arguments_rewritten_are_handed_on_as_those_written_anew(b):
    a, first = np.zeros(4), np.zeros((2, 3))
    for before, now in ((Pair(a, first, 1.0), Pair(a, b, 1.0)), (first, b)):
        again, anew = fast_call.rewrite(fast_call.write(before), now), fast_call.write(now)
        assert again.kind == anew.kind
        assert again.value is now
        if anew.memory is None:
            assert again.numbers == anew.numbers
        else:
            assert again.memory.tolist() == anew.memory.tolist()
    for one, other in ((1.0, 2.0), ((1, (2.0, 3)), (4, (5.0, 6)))):
        changed = fast_call.rewrite(fast_call.write(Pair(a, first, one)), Pair(a, first, other))
        assert changed.memory.tolist() == fast_call.write(Pair(a, first, other)).memory.tolist()


@jit.fast_call
def halves(numbers):
    """A tuple of numbers, which Python reads from memory."""
    return numbers[0] // 2, numbers.size


@compiled
def test_a_tuple_of_integers_comes_back_from_a_fast_call():
    call = jit.bind(halves)
    first = call(np.array([7, 1, 2]))
    assert (first, call(np.array([12]))) == ((3, 3), (6, 1))


@compiled
def test_lists_made_anew_type_no_arrays_anew(monkeypatch):
    glass = dem.Material(young=5e7, poisson=0.3, density=2500.0)
    spheres = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0], [0.01, 0.001, 0]])
    sim = dem.Simulation(spheres, time_step=1e-6)
    engine, typed, shared = sim._engine, [], []
    engine.rebuild()
    monkeypatch.setattr(fast_call.numba, "typeof", lambda value: typed.append(value) or typeof(value))
    monkeypatch.setattr("dem.soft.engine.assign_chunks", lambda *_: shared.append(1))
    before = engine.lists.arrays
    engine.rebuild()
    assert engine.lists.arrays is before  # which has room
    for _ in range(5):
        engine.lists.arrays = engine.lists.arrays._replace(force_at=before.force_at.copy())  # as where it had none
        engine.rebuild()
    assert not typed
    assert not shared  # one block has all chunks
