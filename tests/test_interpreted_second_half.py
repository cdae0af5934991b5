"""The second half of the tests in plain Python, see test_interpreted."""

from test_interpreted import SECOND_HALF, in_plain_python

test_in_plain_python = in_plain_python(SECOND_HALF)
