"""The commands: their modules, which register them when imported, and what they do, as their docstrings begin."""

COMMANDS = {
    "run": (
        "dem.cli.commands.run",
        "Run a case and write its trajectory, or a table (.csv) for a case of one rotating body.",
    ),
    "sweep": (
        "dem.cli.commands.sweep",
        "Run a case with many values of its parameters, a file each, and make a table of them.",
    ),
    "cases": ("dem.cli.commands.lists", "List the cases, or the parameters of one."),
    "integrators": ("dem.cli.commands.lists", "List the rotational integrators."),
    "init": ("dem.cli.commands.casefiles", "Write a case file with every key there is"),
    "check": (
        "dem.cli.commands.casefiles",
        "Validate a case file, and show what it would run and how long that would take.",
    ),
    "compile": (
        "dem.cli.commands.compile",
        "Compile the kernels that runs will need, side by side, so that these start at once.",
    ),
    "info": ("dem.cli.commands.info", "Show what a trajectory holds"),
    "plot": ("dem.cli.commands.plot", "Draw a trajectory"),
    "view": ("dem.cli.commands.view", "Show a trajectory in the browser"),
    "export": ("dem.cli.commands.export", "Write a trajectory as a file for other programs"),
    "rerun": ("dem.cli.commands.repair_and_rerun", "Repeat a run and say whether the bytes match."),
    "repair": ("dem.cli.commands.repair_and_rerun", "Save what a broken trajectory still has."),
    "replay": ("dem.cli.commands.replay", "Show step by step how a run came to break"),
    "guide": ("dem.cli.commands.guide", "Read a page of the guide, or list them"),
    "doctor": ("dem.cli.commands.doctor", "Say whether all is well"),
    "validate": ("dem.cli.commands.validate", "Reproduce the published tables and figures, next to the exact values."),
    "bench": ("dem.cli.commands.bench", "Measure particle steps per second, and where the time goes."),
}
