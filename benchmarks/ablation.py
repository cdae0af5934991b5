"""`python -m benchmarks.ablation [PART ...]`: speed gained by each part of `kernels/compiler` and `kernels/simd`.

Each part is switched off alone, by an edit of a copy of the tree. Printed are CPU seconds from an empty cache to the
first step of spheres, then to that of fibres, seconds of a start with all in the cache, and microseconds a step of
both. The variants alternate, and the least of several runs counts. States must have the bytes that they have with all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent.parent
COPIED = {"dem": "dem", "kernels": "dem/kernels", "cases": "dem/cases", "benchmarks": "benchmarks"}  # as installed
STARTS = {"spheres": "spheres-frictional-closed-1", "fibres": "fibres-frictional-closed-1"}  # in one cache folder
PLAIN = "all"  # by PCDM_DEM_PLAIN=1
NOTHING = "nothing"  # switched off: all figures are compared with these
CHILD = """
import hashlib, json, sys, time
from benchmarks import same_bytes
same_bytes.FEW = 2500
sim = same_bytes.simulation(sys.argv[1])
sim.step(1)
start, steps = time.process_time(), []
for windows in range(int(sys.argv[2])):
    sim.step(100 if windows else 1500)
    before = time.process_time()
    sim.step(100)
    steps.append((time.process_time() - before) * 1e4)
state = sim.particles.position.tobytes() + sim.particles.angular_velocity.tobytes()
print(json.dumps([start, steps, hashlib.sha256(state).hexdigest()]))
"""
WINDOWS = 8  # of 100 steps each


class Edit(NamedTuple):
    """Text that occurs once in a file of `kernels/`, and its replacement without the part."""

    file: str
    old: str
    new: str


LINKING, LOWERING, JIT = (f"compiler/{name}.py" for name in ("link_time_inlining", "lowering", "jit"))
BY_VALUE = Edit(
    "compiler/struct_reference.py", "or not kind.count:\n        return kind", "or True:\n        return kind"
)
PARTS = {
    NOTHING: (),
    "compiled stages": (
        Edit(JIT, "PLAIN else stages.compiled_stage(func(function), returns)", "True else None"),
        Edit(JIT, "kernel(function) if PLAIN", "kernel(function) if True"),
        BY_VALUE,
    ),
    "struct references": (Edit(JIT, "kernel(function) if PLAIN", "kernel(function) if True"), BY_VALUE),
    "fast_call": (Edit(JIT, "kernel(function) if PLAIN", "kernel(function) if True"),),
    "fast_call: rewrite only changes": (Edit("compiler/fast_call.py", "rewrite(found, value) if found else", ""),),
    "indices from the start": (Edit(LOWERING, '(arrayobj, "fix_integer_index", index_of_kernels),', ""),),
    "arrays as values": (Edit(LOWERING, '(arrayobj, "make_array", array_of_kernels),', ""),),
    "short slices": (
        Edit(LOWERING, '(slicing, "fix_slice", bounds_of_kernels),', ""),
        Edit(LOWERING, '(slicing, "get_slice_length", length_of_kernels),', ""),
    ),
    "arguments not in memory": (Edit(LOWERING, "        self._singly_assigned_vars |= {", "        {"),),
    "arguments as single values": (
        Edit(LOWERING, "LowerArgumentsAsValues if flags.noalias else LowerInlinedBody", "LowerArgumentsAsValues"),
        Edit(LOWERING, "call_writer(fndesc, library, not library.is_loop)", "call_writer(fndesc, library, False)"),
        Edit(LOWERING, "context if compiled.library.is_loop else", "context if True else"),
        Edit("compiler/stages.py", "context if result.library.is_loop else", "context if True else"),
    ),
    "fewer passes": (Edit(LINKING, "if one.__name__ not in IDLE:", "if True:"),),
    "less bookkeeping": (
        Edit(LINKING, "def _runPass", "def _not_run_pass"),
        Edit(LINKING, "return SHARED.setdefault(flags.summary(), SharedFlags(flags))", "return flags"),
        Edit(LOWERING, '(cpu.CPUContext, "get_abi_sizeof", cached_size(cpu.CPUContext.get_abi_sizeof)),', ""),
    ),
    "loading without numba's tables": (Edit(LINKING, "rtsys.initialize(target_context)", "target_context.refresh()"),),
    "wrapper not optimised": (Edit("compiler/libraries.py", "if not defines(ll_module, WRAPPER):", "if True:"),),
    "functions simplified first": (Edit("compiler/libraries.py", "for name in SIMPLIFYING:", "for name in ():"),),
    "short calls of inlined functions": (
        Edit("compiler/calling_convention.py", "if not is_of_kernels(builder) or", "if True or"),
    ),
    "tuple members not read again": (Edit(LOWERING, "        self.builder.__class__ = Builder\n", ""),),
    "variables without lifetimes": (Edit(LOWERING, '(postproc.PostProcessor, "run", process_without_lifetimes),', ""),),
    "inlined calls typed by place": (
        Edit(LINKING, "return InlinedType(self.dispatcher)", "return self.dispatcher._numba_type_"),
    ),
    "operators typed once": (Edit("compiler/inference.py", "if kws or getattr", "if True or getattr"),),
    "max and min without calls": (
        Edit("compiler/inference.py", "choose_number(max, operator.gt)\n    choose_number(min, operator.lt)", "pass"),
    ),
    "loops optimised first": (
        Edit("compiler/libraries.py", "self._optimize_final_module()\n\n    def own", "pass\n\n    def own"),
    ),
    "long integers alone": (Edit(LINKING, "plain = types.int64 if kind is types.int32 else", "plain ="),),
    "no garbage collection": (Edit(JIT, "            gc.disable()", "            pass"),),
    "no aliasing in loops": (Edit(JIT, "_parts(noalias=True, forceinline=True)", "_parts(forceinline=True)"),),
    "inlining forced": (Edit(JIT, "inline = _parts(forceinline=True)", "inline = _parts(forceinline=False)"),),
    "noinline": (Edit(JIT, "_parts(stays_apart=True, forceinline=False)", "_parts(forceinline=False)"),),
    "no test for BLAS": (Edit(JIT, "setup.assume_blas()\n", ""),),
    "processor": (Edit(JIT, "processor.correct_features()\n", ""),),
    "compress": (Edit("simd/compress.py", "compress_by_eights if available else compress_none", "compress_none"),),
    "transpose": (Edit("simd/transpose.py", "available = not numba.config.DISABLE_JIT and", "available = False and"),),
    "prefetch": (Edit("simd/memory.py", "    prefetch_element(array, index)\n", "    return\n"),),
    "add_eight": (
        Edit(
            "simd/memory.py",
            "    add_vector(total, rows, np.uint64(k), np.uint64(at))",
            "    for r in range(8):\n        total[r] += rows[k, at + r]",
        ),
    ),
    PLAIN: (),
}


def edited(part: str) -> dict[str, str]:
    """Edited text of each file that a part changes; raises LookupError if a text to replace is not found once."""
    texts: dict[str, str] = {}
    for file, old, new in PARTS[part]:
        text = texts.get(file) or (HERE / "kernels" / file).read_text()
        if text.count(old) != 1:
            message = f"{part}: {old!r} stands {text.count(old)} times in {file}"
            raise LookupError(message)
        texts[file] = text.replace(old, new)
    return texts


def without(part: str, folder: Path) -> Path:
    """Copy of the source tree without a part."""
    for name, place in COPIED.items():
        shutil.copytree(HERE / name, folder / place, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text in edited(part).items():
        (folder / "dem" / "kernels" / file).write_text(text)
    return folder


def measure(part: str, tree: Path) -> tuple[dict[str, list[float]], list[str]]:
    """Benchmark figures of a source tree, from an empty cache, and hashes of the states."""
    figures, hashes = {}, []
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(tree)}
        environment["PCDM_DEM_PLAIN"] = "1" if part == PLAIN else ""
        for windows in (0, WINDOWS):
            for name, run in STARTS.items():
                command = [sys.executable, "-W", "ignore", "-c", CHILD, run, str(windows)]
                done = subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True, text=True)
                start, steps, state = json.loads(done.stdout)
                figures[f"{name} {'warm' if windows else 'cold'}"] = [start]
                if windows:
                    figures[f"{name} steps"] = steps
                hashes.append(state)
    return figures, hashes


def main() -> None:
    """Measure the named parts, or all, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    parts = dict.fromkeys([NOTHING, *(arguments.parts or PARTS)])
    least: dict[str, dict[str, list[float]]] = {}
    usual: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        trees = {part: without(part, Path(folder) / str(k)) for k, part in enumerate(parts)}
        for repeat in range(arguments.repeats):
            for part, tree in trees.items():
                figures, hashes = measure(part, tree)
                usual = usual or hashes
                before = least.get(part, figures)
                least[part] = {name: [*map(min, values, before[name])] for name, values in figures.items()}
                means = {name: sum(values) / len(values) for name, values in least[part].items()}
                row = " | ".join(f"{name} {value:.1f}" for name, value in means.items())
                print(f"{repeat} | {part:30} | {row}", "" if hashes == usual else "| BYTES DIFFER", flush=True)


if __name__ == "__main__":
    main()
