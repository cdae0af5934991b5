"""Check environment variables that numba reads, before numba is imported."""

import os

# the least that each may be; numba shows a traceback for words, and breaks later without threads
MIN_VALUES = {"NUMBA_NUM_THREADS": 1, "NUMBA_DISABLE_JIT": 0, "NUMBA_BOUNDSCHECK": 0}


def check():
    """Raise ValueError for a variable that is not a whole number, or too low."""
    for name, least in MIN_VALUES.items():
        value = os.environ.get(name, str(least))
        try:
            sound = int(value) >= least
        except ValueError:
            sound = False
        if not sound:
            message = f"{name} is {value!r}, expected a whole number of at least {least}: set it so, or unset it"
            raise ValueError(message)
