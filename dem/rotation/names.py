"""Names of integrators that others need without the schemes themselves."""

DEFAULT = "improved-pcdm"
