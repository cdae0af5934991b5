"""Runs in a browser: one HTML file that needs nothing else, or a page that follows a run while it goes on.

The script of the page (``page/``) is ours: some 400 lines of WebGL 2 weigh 25 kB in each file, where the libraries that
would do it weigh 0.7 to 1.2 MB and would have to be kept up to date; spheres are exact, whatever their size, as a ray
meets each; and numbers of 16 bits with differences from frame to frame need a third of the bytes of floats.
"""
