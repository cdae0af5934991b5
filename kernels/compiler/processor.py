"""Corrections of LLVM's processor features, where they make code slower.

Gather instructions load several numbers from different addresses. They are slower than single loads on Intel's
processors from Skylake to Rocket Lake since the microcode against *gather data sampling*, and on AMD's Zen. LLVM uses
them wherever there is AVX-512; GCC avoids them on the same processors. Here they are switched off, also on Alder Lake
and Raptor Lake. Results have the same bytes, because loads do not round.

Vectors of eight numbers lowered the clock rate of the first processors that had them, so LLVM makes vectors of four on
all of Intel's. From Sapphire Rapids on the clock rate does not fall and gathers are fast, so both are enabled. These
processors are recognised by their arithmetic of half precision, because a virtual machine may give them another name.
Results have the same bytes, because the order of sums does not change. ``python -m benchmarks.ablation processor``
measures the gain.

A pass of a loop may compute several vectors. What the last whole pass leaves is computed by single vectors, and what
these leave number by number. LLVM would give the single vectors half the width: in a loop of two vectors of eight a
pass, nine bodies would take two vectors of four and one number. Here they have the whole width.
"""

import numba
from llvmlite import binding as llvm
from numba.core import codegen

SLOW_GATHER = {
    *("skylake", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server"),
    *("tigerlake", "rocketlake", "alderlake", "raptorlake", "znver1", "znver2", "znver3", "znver4", "znver5"),
}
LOAD_ONE_BY_ONE = "+prefer-no-gather"
AS_WIDE_AS_CAN_BE = "-prefer-256-bit"
WIDE = "+avx512fp16"  # what all processors have that do not slow down
KNOWN_SINCE = (18, 0, 0)  # LLVM


def advice(name, features):
    """Feature to add for a processor of this name and features; None if no correction is needed."""
    if WIDE in features.split(","):
        return AS_WIDE_AS_CAN_BE
    return LOAD_ONE_BY_ONE if name in SLOW_GATHER else None


def correct_features():
    """Compile without gathers where they are slow, and with wide vectors where they are fast, from now on.

    The setting holds for the whole process. NUMBA_CPU_NAME and NUMBA_CPU_FEATURES override it.
    """
    config = numba.config
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None or llvm.llvm_version_info < KNOWN_SINCE:
        return
    known = codegen.get_host_cpu_features()
    more = advice(llvm.get_host_cpu_name(), known)
    if more is not None:
        numba.config.CPU_FEATURES = f"{known},{more}" if known else more


def numbers_in_vector(name, features):
    """How many numbers the vectors have that LLVM makes for a processor of this name and features: eight or four."""
    known = features.split(",")
    return 8 if WIDE in known or ("+avx512f" in known and name.startswith("znver")) else 4


def vectorise_remainders():
    """Compute what the last pass of a loop leaves by whole vectors, from now on; the setting holds for the process."""
    width = numbers_in_vector(numba.config.CPU_NAME or llvm.get_host_cpu_name(), target_features())
    llvm.set_option("", f"--epilogue-vectorization-force-VF={width}")


def target_features():
    """Features of the target processor of numba by their LLVM names, signed and separated by commas."""
    known = numba.config.CPU_FEATURES
    if known is None:
        known = codegen.get_host_cpu_features() if numba.config.CPU_NAME is None else ""
    return known


def has(feature):
    """Whether the target processor of numba has a feature, by its LLVM name."""
    return f"+{feature}" in target_features().split(",")


def instruction_sets():
    """Environment variables for numba by instruction set: all of the processor, and AVX2 if it has more."""
    features = codegen.get_host_cpu_features().split(",")
    if not any(each.startswith("+avx512") for each in features):
        return {"AVX2" if "+avx2" in features else "native": {}}
    narrow = (each.replace("+", "-") if each.startswith("+avx512") else each for each in features)
    return {"AVX-512": {}, "AVX2": {"NUMBA_CPU_FEATURES": ",".join(narrow)}}
