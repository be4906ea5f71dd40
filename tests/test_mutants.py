"""Changes that `make mutants` makes: each is one place, parses, and changes what runs."""

from __future__ import annotations

import ast
from typing import Any

from tests.mutants import switch
from tests.mutants.changes import list_changes
from tests.mutants.mutant import draw_mutants
from tests.mutants.reach import Reach
from tests.mutants.switch import NAME, PACKAGE, SEEN, is_active, make_switched

SOURCE = '''
"""A text of 1 < 2."""
LIMIT: float = 2.0


def area(A, x, y: int = 3, *, deep: bool = True):
    """Return 1 + 1."""
    if x < y and not deep:
        raise ValueError(f"{x + y} ü")
    x += 1
    check(x, y)
    least = min(x, y), dict(strict=True)
    return A.T @ x - -y
'''


def test_each_operator_number_condition_and_call_is_changed():
    found = {(c.text, c.replacement) for c in list_changes(SOURCE)}
    assert found == {
        ("2.0", "2.2"),
        ("3", "4"),
        ("True", "False"),
        ("<", "<="),
        ("and", "or"),
        ("not deep", "(deep)"),
        ('raise ValueError(f"{x + y} ü")', "pass"),
        ("+=", "-="),
        ("1", "2"),
        ("check(x, y)", "pass"),
        ("x, y", "y, x"),
        ("A.T", "A"),
        ("A.T @ x", "(x) @ (A.T)"),
        ("-", "+"),
        ("-y", "(y)"),
    }


def test_changes_of_the_package_parse_and_every_folder_has_some():
    mutants = draw_mutants("a seed", 60, "")
    assert {m.file.partition("/")[0] for m in mutants} >= {
        p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()
    }
    for mutant in mutants:
        source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.change.apply(source))) != ast.dump(ast.parse(source))
    assert draw_mutants("a seed", 60, "") == mutants != draw_mutants("another", 60, "")


RUNNING = """
def weigh(x, y=(2, 3)):
    if x > 1 and not x == 3:
        x += 2
    elif x < -5:
        raise ValueError
    values = [
        max(a, x, b) - x * a
        for a, b in (y, (x, 1))
    ]
    values.append(pow(x * x, 2))
    return values
"""


def _outcomes(code: object) -> list[object]:
    names: dict[str, Any] = {NAME: is_active}
    exec(code, names)  # pyright: ignore[reportArgumentType]
    return [_outcome(names["weigh"], x) for x in (-7, 0, 1, 2, 3)]


def _outcome(function: Any, x: int) -> object:
    try:
        return function(x)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        return type(error)


def test_a_switched_module_does_what_each_changed_text_does(monkeypatch):
    changes = dict(enumerate(list_changes(RUNNING)))
    in_bodies = {k: c for k, c in changes.items() if c.line > 2}
    assert len(in_bodies) > 15
    code = compile(make_switched(RUNNING, in_bodies, -2), "switched", "exec")
    SEEN.clear()
    assert _outcomes(code) == _outcomes(compile(RUNNING, "text", "exec"))
    assert {-2, *in_bodies} == SEEN  # all functions are called, all expressions evaluated
    for number, change in in_bodies.items():
        monkeypatch.setattr(switch, "active", number)
        assert _outcomes(code) == _outcomes(compile(change.apply(RUNNING), "text", "exec")), change


def test_tests_that_reach_a_mutant_come_before_their_neighbours_the_quickest_first():
    first, second = draw_mutants("a seed", 60, "")[:2]
    tests = {"a.py::slow": 5.0, "a.py::quick": 1.0, "a.py::beside": 0.5, "b.py::far": 0.1}
    reach = Reach(tests, {0: ["a.py::slow", "a.py::quick"]}, frozenset({1}))
    assert reach.list_tests(0, [first, second], 60.0) == ["a.py::quick", "a.py::slow", "a.py::beside"]
    assert reach.list_tests(0, [first, second], 2.0) == ["a.py::quick"]
    assert reach.list_tests(1, [first, second], 60.0) == []
    assert (reach.is_fixed(0), reach.is_fixed(1)) == (False, True)
