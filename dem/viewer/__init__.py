"""Browser view of runs: one self-contained HTML file, or a page that follows a run.

`view` is the function that users call. `page` writes the file, with frames packed into 16-bit numbers, and `live`
serves it during a run. The script of the page (``page/``) uses WebGL 2 without a library: some 30 kB, where such
libraries weigh about 1 MB. Spheres are exact at any size.
"""
