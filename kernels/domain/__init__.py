"""The box, for soft and hard particles alike: its faces and how they move, periodic images, rough walls."""
