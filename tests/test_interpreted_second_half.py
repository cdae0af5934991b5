"""The second half of the long and slow tests in plain Python, see test_interpreted."""

from test_interpreted import FILES, dear, in_plain_python

test_in_plain_python = in_plain_python(*dear(FILES[1::2]))
