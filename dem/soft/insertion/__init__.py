"""Bodies that come and go while a run goes on.

`seam.py` changes which bodies an engine has, without a trace in those that stay; who does so has no need to know why:
`source.py` puts particles in, `sink.py` takes them out, `traffic.py` has all of them, and says at which steps.
`places.py` finds places without overlap, `deck.py` deals shapes and sizes, `books.py` keeps what went in and out.
"""
