"""Names of integrators that others need without the schemes themselves."""

AUTO = "auto"  # `BONDED` where there are bonds, else `DEFAULT`
DEFAULT = "improved-pcdm"
BONDED = "splitting"  # adds no energy to what oscillates: predictor-corrector schemes drive undamped bonds
MEANING = f"rotational scheme; auto: {BONDED} where there are bonds, else {DEFAULT}"
