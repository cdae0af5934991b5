"""The mutants can be tried: each is still found, is Python, and the tests that are to notice it are there."""

import ast
import re
import sys
import textwrap

import mutants
import pytest
from mutations import MUTANTS, Mutant


def test_every_mutant_is_found_in_one_place_and_is_python():
    """Else an edit of the code has left the table behind: give the mutant the text that stands there now."""
    wrong = []
    for mutant in MUTANTS:
        try:
            path, begin, at, end = mutants.place(mutant)
            text = (mutants.ROOT / path).read_text()
            code = text[begin:at] + mutant.new + text[at + len(mutant.old) : end]
            ast.parse(textwrap.dedent(code))  # of files takes a while
        except (LookupError, SyntaxError) as problem:
            wrong.append(f"{mutant.name}: {problem}")
            continue
        assert code != text[begin:end], mutant.name
    assert not wrong


def test_the_tests_that_are_to_notice_are_there():
    for mutant in MUTANTS:
        names = re.findall(r"^def (test_\w+)", (mutants.ROOT / "tests" / mutant.file).read_text(), re.MULTILINE)
        wanted = re.match(r"\w+", mutant.tests)[0]
        assert any(wanted in name for name in names), f"{mutant.name}: no test in {mutant.file} is called {wanted}"


def test_names_tell_mutants_apart():
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("function", "old", "times"),
    [("force", "no such text", 0), ("no_such_function", "x", 0), ("add_scaled", "s * v", 3), ("energy", "2/5", 0)],
)
def test_what_is_not_in_one_place_is_refused(function, old, times):
    """Docstrings, such as that of the energy, do not count."""
    with pytest.raises(LookupError, match=rf"stands {times} times in functions named {function}"):
        mutants.place(Mutant("name", function, old, "", "", ""))


@pytest.mark.slow
def test_what_survives_is_told(monkeypatch, capsys):
    """Of three: one that is noticed, one that cannot be since it changes nothing, and one that no test is named for."""
    hertz = "force", "hertz_stiffness * overlap * math.sqrt(overlap)"
    tests = "test_hertz.py", "dimension or no_overlap_no"
    tried = (
        Mutant("noticed", *hertz, "hertz_stiffness * overlap", *tests),
        Mutant("the same", *hertz, "math.sqrt(overlap) * overlap * hertz_stiffness", *tests),
        Mutant("untested", *hertz, "hertz_stiffness * overlap", "test_hertz.py", "nothing_of_the_kind"),
    )
    monkeypatch.setattr(mutants, "MUTANTS", tried)
    monkeypatch.setattr(sys, "argv", ["mutants.py"])
    assert mutants.main() == 2
    said = capsys.readouterr().out.splitlines()
    for begin, name in (("killed", "noticed"), ("SURVIVED", "the same"), ("NOT TRIED", "untested")):
        assert sum(line.startswith(f"{begin:9} {name} ") for line in said) == 1
    assert said[-1] == "1 killed, 1 survived, 1 not tried"


@pytest.mark.parametrize(("slow", "verdict"), [(True, mutants.UNTRIED), (False, mutants.KILLED)])
def test_slow_tests_that_fail_without_a_mutant_notice_none(slow, verdict, tmp_path, monkeypatch):
    """Slow tests are not among those that are run first without any mutant."""
    mutant = Mutant("name", "force", "overlap * math.sqrt(overlap)", "overlap", "test_hertz.py", "dimension")
    path, _ = mutants.mutated(mutant)
    (tmp_path / path).parent.mkdir(parents=True)
    monkeypatch.setattr(mutants, "status", lambda *_: (mutants.FAILED, "1 failed", slow))
    assert mutants.judge(tmp_path, mutant, 1.0)[0] == verdict
    assert (tmp_path / path).read_text() == (mutants.ROOT / path).read_text()


@pytest.mark.parametrize(("verdicts", "code"), [(["killed"] * 3, 0), (["killed", "SURVIVED"], 1), (["NOT TRIED"], 2)])
def test_the_exit_status_tells_the_worst(verdicts, code, monkeypatch):
    monkeypatch.setattr(mutants, "try_all", lambda chosen, *_: ((chosen[0], verdict, "") for verdict in verdicts))
    monkeypatch.setattr(sys, "argv", ["mutants.py", "hertz", "damping-sign"])
    assert mutants.main() == code


def test_unknown_names_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mutants.py", "unknown"])
    with pytest.raises(SystemExit):
        mutants.main()
