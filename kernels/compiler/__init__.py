"""How kernels are compiled, cached and called. Read `jit` first: its decorators are used in all kernels.

`selection`, `kind_chain`: functions chosen by type when kernels are compiled, and chains of kinds known only to a run.
`jit`, `environment`, `setup`, `processor`: decorators and options, environment variables, settings of numba, and
features of the processor for LLVM. `stages`, `link_time_inlining`, `libraries`, `lowering`: large parts are compiled to
machine code of their own and joined when they are linked. `inference`: how numba types calls. `python_stack`: room for
Python's frames. `compile_processes`, `compile_server`: other processes that compile such parts; `stage_lock`: each by
one process. `disk_cache`, `private_folder`: compiled parts on disk, in a folder that only the user can write to.
`fast_call`, `calling_convention`, `struct_reference`, `c_functions`: calls from Python and of C functions, and records
of arrays passed by address. `parallel_for`: loops over threads. `formula_errors`: short reports of faulty formulae.
"""
