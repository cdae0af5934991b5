"""Rotation of a single body.

`integrators`: the rotational schemes by name. `study`: one body that rotates under any torque, to compare schemes.
"""

# names of integrators, which need no kernels
AUTO = "auto"  # `BONDED` where there are bonds, else `DEFAULT`
DEFAULT = "improved-pcdm"
BONDED = "splitting"  # adds no energy to what oscillates: predictor-corrector schemes drive undamped bonds
SPIN_ONLY = "spin-only"  # of single spheres: `DEFAULT` without orientations
MEANING = f"rotational scheme; auto: {BONDED} where there are bonds, else {DEFAULT}"
