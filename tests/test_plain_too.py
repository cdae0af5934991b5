"""The other half of the tests in plain Python, see test_plain."""

from test_plain import OTHERS, in_plain_python

test_in_plain_python = in_plain_python(OTHERS)
