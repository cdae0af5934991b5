"""Foundations that all other folders use: checked input, notices, progress, numerics that are portable.

Input: `checks`, `user_classes` (hints at misspelt names, read-only arrays), `units`, `parsing` (JSON and CSV),
`imports` (by name, and of libraries that need not be installed). Output: `notices` (warnings with a name), `text`,
`progress` (bars, and how much time is left), `compilation`, `replace` (whole files). Arrays: `portable` (same bytes on
every processor), `quaternions`, `periodic`, `large_pages`. Process: `interrupts`, `cpu_info`, `clone` (imports in a
clone).
"""
