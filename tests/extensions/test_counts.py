"""Few files of the engine know of one law, format or case beside its own: those that another of its kind touches."""

import ast

import pytest
from test_architecture import FILES, nodes_under

LAWS, MODEL = "dem.kernels.laws", "dem.model.contact"
LISTS_OF_PARTS = {LAWS, f"{MODEL}.law_registry"}
KNOWN = {  # names of one of each kind, its own files, and the files that know of it
    "a normal force": ({"PowerLaw", "Power"}, {f"{LAWS}.power", f"{MODEL}.law_parts"}, LISTS_OF_PARTS),
    "a damping": ({"Dashpot"}, {f"{LAWS}.dashpot", f"{MODEL}.law_parts"}, LISTS_OF_PARTS),
    "a drag law": (
        {"Beetstra", "beetstra"}, {"dem.kernels.fluid.beetstra"},
        {"dem.kernels.fluid", "dem.model.fluid.drag_registry"},
    ),
    "an export": ({"hoomd_gsd"}, {"dem.files.exports.hoomd_gsd"}, {"dem.files.exports"}),
    "a case": ({"BreakingRods"}, {"dem.cases.breaking_rods"}, set()),
}  # fmt: skip
PUBLIC = "dem"  # with the names that users import
LOOKS = ("dem.validation", "dem.bench", "dem.cli")  # that measure by certain laws


def names_in(path):
    """Names that code imports, uses and defines, and keys of its tables; text is none."""
    for node in nodes_under(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute | ast.ClassDef):
            yield getattr(node, "attr", None) or node.name
        elif isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def knows(path, names):
    """Whether code has any of the names; a file is parsed only if they are in its text."""
    written = any(name in path.read_text() for name in names)
    return written and bool(names & {part for word in names_in(path) for part in word.split(".")})


@pytest.mark.parametrize("kind", KNOWN)
def test_few_files_know_of_one_of_its_kind(kind):
    names, own, knowing = KNOWN[kind]
    found = {name for name, path in FILES.items() if knows(path, names)}
    found -= own | {PUBLIC}
    assert {name for name in found if not name.startswith(LOOKS)} == knowing
    assert len(knowing) <= 2
