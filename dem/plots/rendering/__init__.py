"""Draw images of many spheres with numpy alone; `render.py` is the entry.

- `camera.py`: from where, and how points become pixels
- `raster.py`: the nearest sphere of each pixel
- `light.py`: light, shadows and ambient occlusion
- `changed_pixels.py`: the pixels that differ from an empty room
- `wall_lines.py`, `wall_sheets.py`: walls as lines, and as transparent sheets
- `bond_balls.py`: bonds as rows of balls
"""
