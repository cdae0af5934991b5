"""The other half of the tests in plain Python, see test_plain, and the examples of docstrings."""

import os

import pytest
from test_plain import HERE, OTHERS, in_plain_python, plainly

test_in_plain_python = in_plain_python(OTHERS)


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="pytest dem does it")
def test_examples_of_docstrings():
    assert plainly(HERE.parent / "dem") == 0
