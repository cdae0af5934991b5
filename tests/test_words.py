"""Names of modules, classes and functions: one owner each, no retired words, docstrings that stand alone."""

import ast
import builtins
import io
import keyword
import re
import tokenize
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from rules import for_all
from test_architecture import FILES, ROOT, nodes_of, nodes_under

CODE = {name: path for name, path in FILES.items() if path.relative_to(ROOT).parts[0] in ("dem", "kernels")}
DEFINITIONS = ast.ClassDef | ast.FunctionDef

BOTH_HOUSES = "what users give in dem.model, and its numbers as kernels read them"
TWICE = {  # classes of one name; this list may only become shorter
    **dict.fromkeys(("Bonds", "Bridge", "Cells", "Dashpot", "Fluid", "Hertz"), BOTH_HOUSES),
    **dict.fromkeys(("EEPA", "Hysteretic", "JKR", "Linear", "Rolling", "Twisting", "Viscoelastic"), BOTH_HOUSES),
    "Report": "a public class of dem.validation, and a record of the communicator",
}

RETIRED = {  # words of 0.2 that no definition bears any more
    *("Likeness", "Told", "call_to_swap", "in_common", "of_border", "rows_of_reports", "stretches", "swap_reports"),
    *("unlike", "whirl"),
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
RETIRED |= {
    *("SizeDeck", "Pull", "acquaint", "feel_all", "feel_going", "feel_turning", "go_over", "leaving_together"),
    *("meet_ghosts", "meet_partner", "obey", "seen_in"),
}
RETIRED_MODULES = {
    "size_deck",
    *("annuli", "bars", "beds", "beside", "halo", "looking", "peers", "sheets", "touched", "ways"),
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

# how docstrings begin that cannot be read by themselves
LEANING = r"The same\b|As (?!what)|One for all|Likewise|None\.|Nobody\b|Where there (is|are) no"

# Names of other packages and programs, of variables of the environment, and of data sets in files
FOREIGN = {
    *("srun", "XDG_CACHE_HOME", "setflags", "get_chunk_info", "ServoPIDController", "tqdm", "pyprecice", "worn_0"),
    *("granular", "copy.deepcopy", "numba.extending.overload", "gsd.hoomd.read_log", "rich.progress.Progress.add_task"),
    *("mpi4py.MPI", "particles.0.velocity", "FILE.journal"),
}
FILE_NAME = r".*\.(py|md|h5|csv|partial)"


def names_of(nodes):
    """Identifiers that code defines or uses, and words in quotation marks, which may be those of files."""
    for node in nodes:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.arg(arg=name) | ast.keyword(arg=str(name)) | ast.Constant(value=str(name)) if name.isidentifier():
                yield name
            case ast.alias(name=name):
                yield from (*name.split("."), node.asname)


@cache
def owners():
    """Names in a module or a class, by its own last name; and names of the classes that a class is derived from."""
    names, bases = {}, {}
    for path in FILES.values():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, set()).update(names_of(nodes_under(node)))
                bases.setdefault(node.name, set()).update(
                    re.split(r"[.\[]", ast.unparse(base))[0] for base in node.bases
                )
        module = path.parent.name if path.stem == "__init__" else path.stem
        names.setdefault(module, set()).update(names_of(nodes_of(path)))
    return names, bases


@cache
def vocabulary():
    """All names of the code, of Python and numpy, and of files."""
    names, _ = owners()
    parts = (part for path in FILES.values() for part in path.relative_to(ROOT).parts)
    return {*dir(builtins), *keyword.kwlist, *dir(np), *names, *parts}.union(*names.values())


def owns(owner, name):
    names, bases = owners()
    return name in names.get(owner, ()) or any(owns(base, name) for base in bases.get(owner, ()))


def quoted(path):
    """Names between backquotes in docstrings and comments."""
    prose = [ast.get_docstring(node) or "" for node in nodes_of(path) if isinstance(node, DEFINITIONS | ast.Module)]
    text = path.read_text()
    quoting = re.search("#.*`", text)  # in a comment, most likely: tokens take their time
    tokens = tokenize.generate_tokens(io.StringIO(text).readline) if quoting else ()
    prose += [token.string for token in tokens if token.type == tokenize.COMMENT]
    return {name for text in prose for _, name in re.findall(r"(?<!`)(``?)([A-Za-z_][\w.]*\w)\1(?!`)", text)}


def definitions(path):
    return [node for node in nodes_of(path) if isinstance(node, DEFINITIONS)]


def test_a_class_name_is_defined_once():
    homes = {}
    for name, path in CODE.items():
        for node in definitions(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(name)
    found = {word: files for word, files in homes.items() if len(files) > 1 and word not in TWICE}
    assert not found


@for_all(CODE)
def test_no_retired_word_comes_back(name):
    assert name.rpartition(".")[2] not in RETIRED_MODULES
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


@for_all(CODE)
def test_names_in_docstrings_and_comments_are_defined(name):
    """What stands between backquotes is defined somewhere, `Owner.name` and `module.Name` where it says."""
    for words in quoted(CODE[name]):
        if words not in FOREIGN and not re.fullmatch(FILE_NAME, words):
            parts = words.split(".")
            assert set(parts) <= vocabulary(), words
            for owner, last in pairwise(parts):
                assert owns(owner, last) or owner == "dem" or not (owner[0].isupper() or last[0].isupper()), words
