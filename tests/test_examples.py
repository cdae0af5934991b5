"""Examples of docstrings, in plain Python: in a file of their own, for what is short comes last and fills up."""

import os

import pytest
from test_plain import HERE, plainly


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="pytest dem does it")
def test_examples_of_docstrings():
    assert plainly(HERE.parent / "dem") == 0
