"""Corrections of LLVM's processor features, where they make code slower.

Since the microcode against *gather data sampling* (Downfall, 2023) one instruction that loads eight numbers from eight
places takes three times as long as eight loads on Intel's cores from Skylake to Rocket Lake; on AMD's Zen it never was
faster. LLVM goes on using it wherever there is AVX-512. Without it elastic spheres are 1.6 times as fast on a
Cascade Lake (forces 2.9 times), spheres with friction 1.6 times; on a Zen 5 elastic spheres take 5 % less time, fibres
and capsules 2 to 7, others as long as with it. Results have the same bytes, since loads do not round. GCC avoids it on
the same processors.

Vectors of eight numbers slowed the first processors down that had them, so LLVM makes vectors of four on all of
Intel's. From Sapphire Rapids on (those that can reckon with half precision, whatever a virtual machine calls them) the
clock does not fall, and nothing is leaked by gathers: with both, spheres with friction take 12 % less there, beds of
them 10 %, capsules and fibres 6 to 9 %, elastic spheres 2 %. Bytes are the same: a sum is as long as it was.
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
    """Enable gathers and wide vectors for code that numba compiles from now on, where they are faster.

    Process-wide, as numba has one picture of the processor; who gives it another with NUMBA_CPU_NAME or
    NUMBA_CPU_FEATURES is believed.
    """
    config = numba.config
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None or llvm.llvm_version_info < KNOWN_SINCE:
        return
    known = codegen.get_host_cpu_features()
    more = advice(llvm.get_host_cpu_name(), known)
    if more is not None:
        numba.config.CPU_FEATURES = f"{known},{more}" if known else more


def has(feature):
    """Whether the target processor of numba has a feature, by its LLVM name."""
    known = numba.config.CPU_FEATURES
    if known is None:
        known = codegen.get_host_cpu_features() if numba.config.CPU_NAME is None else ""
    return f"+{feature}" in known.split(",")


def instruction_sets():
    """Environment variables for numba by instruction set: all of the processor, and AVX2 if it has more."""
    features = codegen.get_host_cpu_features().split(",")
    if not any(each.startswith("+avx512") for each in features):
        return {"AVX2" if "+avx2" in features else "native": {}}
    narrow = (each.replace("+", "-") if each.startswith("+avx512") else each for each in features)
    return {"AVX-512": {}, "AVX2": {"NUMBA_CPU_FEATURES": ",".join(narrow)}}
