"""Render images of many spheres with numpy alone; begin with `render.py`.

- `camera.py`: from where, and how points become pixels
- `raster.py`: the nearest sphere or triangle of each pixel; `meshes.py`: surfaces of convex bodies
- `light.py`: light, shadows and ambient occlusion
- `walls.py`: walls as lines, and as transparent sheets
"""
