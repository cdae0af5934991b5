"""Names of modules, classes and functions: one owner each, no retired words, docstrings that stand alone."""

import ast
import re

import pytest
from rules import for_all
from test_architecture import FILES, ROOT, nodes_of

CODE = {name: path for name, path in FILES.items() if path.relative_to(ROOT).parts[0] in ("dem", "kernels")}
DEFINITIONS = ast.ClassDef | ast.FunctionDef

BOTH_HOUSES = "what users give in dem.model, and its numbers as kernels read them"
METHODS = "one for each method of simulation"
TWICE = {  # classes of one name; this list may only become shorter
    **dict.fromkeys(("Adhesion", "Bonds", "Bridge", "Cells", "Damping", "Dashpot", "Fluid", "Hertz"), BOTH_HOUSES),
    **dict.fromkeys(("Hysteretic", "JKR", "Linear", "Rolling", "Twisting", "Viscoelastic"), BOTH_HOUSES),
    "EnergyLedger": METHODS,
    "Report": "a public class of dem.validation, and a record of the communicator",
    "Order": "a public result of dem.statistics, and an internal one of subdomains",
    "Spheres": "a public result of dem.statistics, and an internal one of insertion",
    "Engine": "a class, and the protocol by which two-way coupling knows it",
    "Sizes": "distributions of sizes, and sizes of arrays",
    "Part": "the public base class of law components, and a library of the compiler",
    "Pull": "of an adhesion, and of a bond",
    "AsTheyAre": "of the compiler, and of subdomains",
}

RETIRED = {  # words of 0.2 that no definition bears any more
    *("Absent", "Accounted", "AmongWalls", "Books", "Crew", "Crowd", "Deck", "Feeling", "Hand", "Inhabited", "Listed"),
    *(
        "Owners",
        "Present",
        "Press",
        "Push",
        "RankedEngine",
        "Route",
        "ShareLists",
        "Sink",
        "Source",
        "Touch",
        "Traffic",
    ),
    *("Wants", "act", "act_beginning", "act_unlike", "adhere", "any_law", "any_scheme", "bare", "bits_of", "book"),
    *(
        "caller_of",
        "capped",
        "clear_felt",
        "faces_alone",
        "finish_pick",
        "fold_in",
        "forgetful",
        "formula",
        "functional",
    ),
    *("give_back", "hand_out", "hand_over", "hand_to_i", "hand_to_j", "hang", "heir", "in_film", "know", "know_bodies"),
    *("know_spheres", "lives_on", "meet_chunks", "meet_or_hang", "nearest_gap", "no_outcome", "no_press", "no_push"),
    *(
        "nothing_felt",
        "piece",
        "plain_gap",
        "put_aside",
        "share_of_step",
        "sift",
        "turn_eight",
        "unfolded",
        "with_number",
    ),
}
RETIRED_MODULES = {
    *("accounted", "agenda", "among_walls", "body_sums", "capsule_known", "capsule_picks", "coming", "crew", "crowd"),
    *("crowds", "deck", "dragged", "easing", "encounters", "extremes", "felt", "flow_felt", "forest", "gate", "halves"),
    *(
        "hanging",
        "hard",
        "held",
        "inhabited",
        "keeping",
        "known",
        "launched",
        "likeness",
        "looking",
        "makers",
        "obstacles",
    ),
    *("onset", "pace", "proportions", "ranked", "seam", "shadows", "shares", "sharing", "sifting", "spreading", "tied"),
    *("stochastic", "ties", "touching", "trouble", "turning", "waiting", "walled", "watched", "wet", "whirled", "worn"),
}
EXEMPT = {"dem.case.stochastic", "dem.casefile.stochastic"}  # cases of `method = "stochastic"`

LEANING = r"The same\b|As (?!what)|One for all|Likewise"  # how docstrings begin that cannot be read by themselves


def definitions(path):
    return [node for node in nodes_of(path) if isinstance(node, DEFINITIONS)]


def test_a_class_name_is_defined_once():
    owners = {}
    for name, path in CODE.items():
        for node in definitions(path):
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(name)
    found = {word: homes for word, homes in owners.items() if len(homes) > 1 and word not in TWICE}
    assert not found


@for_all(CODE)
def test_no_retired_word_comes_back(name):
    assert name.rpartition(".")[2] not in RETIRED_MODULES or name in EXEMPT
    assert not {node.name for node in definitions(CODE[name])} & RETIRED


@pytest.mark.parametrize("room", sorted({".".join(path.relative_to(ROOT).parts[:2]) for path in CODE.values()}))
def test_docstrings_stand_alone(room):
    """A first line says what is computed or done; it does not point to a neighbour."""
    leaning = [
        f"{path.relative_to(ROOT)}, {node.name}"
        for path in CODE.values()
        if ".".join(path.relative_to(ROOT).parts[:2]) == room
        for node in definitions(path)
        if re.match(LEANING, ast.get_docstring(node) or "")
    ]
    assert not leaning
