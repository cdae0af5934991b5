"""Runs in a browser: one HTML file that needs nothing else, or a page that follows a run.

`view` is the function that users call. `page` writes the file and `live` serves it during a run; `blocks` packs frames
into 16-bit numbers, with differences between frames, and `links` draws bonds. The script of the page (``page/``) uses
WebGL 2 without a library: some 25 kB, where such libraries weigh about 1 MB. Spheres are exact at any size.
"""
