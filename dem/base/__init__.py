"""Foundations that all other folders use: checked input, notices, progress, numerics that are portable.

Input: `checks`, `declared`, `typo_hints`, `units`, `json_texts`, `csv_rows`, `named`. Output: `notices` (warnings with
a name), `text`, `progress`, `countdown`, `past_durations`, `compilation`. Arrays: `portable` (same bytes on every
processor), `large_pages`, `readonly`, `periodic`, `rotate_points`. Process: `interrupts`, `stopping`, `thread_lock`,
`cpu_info`, `optional` (libraries that need not be installed), `clone` (imports in a clone), `replace` (whole files).
"""
