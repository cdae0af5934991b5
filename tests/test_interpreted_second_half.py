"""The second half of the tests in plain Python, see test_interpreted."""

from test_interpreted import HALVES, in_plain_python

test_in_plain_python = in_plain_python(HALVES[1])
