"""Commands of `dem`, a module each, which `dem.cli.application` lists.

A module registers its command with `dem.cli.application.app` when it is imported. `lists.py` has ``dem cases`` and
``dem integrators``, `casefiles.py` ``dem init`` and ``dem check``, `repair_and_rerun.py` ``dem repair`` and
``dem rerun``; all others bear the name of their command.
"""
