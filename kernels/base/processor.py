"""What LLVM should know of processors for which its own picture is out of date.

Since the microcode against *gather data sampling* (Downfall, 2023) one instruction that loads eight numbers from eight
places takes three times as long as eight loads on Intel's cores from Skylake to Rocket Lake; on AMD's Zen it never was
faster. LLVM goes on using it wherever there is AVX-512. Without it elastic spheres are 1.6 times as fast on a
Cascade Lake (forces 2.9 times), spheres with friction 1.6 times; results have the same bytes, since loads do not round.
GCC avoids it on the same processors.
"""

import numba
from llvmlite import binding as llvm
from numba.core import codegen

SLOW_GATHER = {
    *("skylake", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server"),
    *("tigerlake", "rocketlake", "alderlake", "raptorlake", "znver1", "znver2", "znver3", "znver4"),
}
LOAD_ONE_BY_ONE = "+prefer-no-gather"
KNOWN_SINCE = (18, 0, 0)  # LLVM


def avoid_slow_gathers():
    """Have all that numba compiles from now on load one number at a time where this is faster.

    Process-wide, as numba has one picture of the processor; who gives it another with NUMBA_CPU_FEATURES is believed.
    """
    name = numba.config.CPU_NAME or llvm.get_host_cpu_name()
    if numba.config.CPU_FEATURES is not None or name not in SLOW_GATHER or llvm.llvm_version_info < KNOWN_SINCE:
        return
    known = codegen.get_host_cpu_features()
    numba.config.CPU_FEATURES = f"{known},{LOAD_ONE_BY_ONE}" if known else LOAD_ONE_BY_ONE
