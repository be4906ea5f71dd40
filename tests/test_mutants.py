"""Changes that `make mutants` makes: each is one place, parses, and changes what runs."""

from __future__ import annotations

import ast

from tests.mutants.__main__ import draw
from tests.mutants.changes import list_body_lines, list_changes
from tests.mutants.record import PACKAGE

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


def test_lines_of_bodies_are_those_that_do_not_run_at_the_import():
    lines = SOURCE.splitlines()
    bodies = {lines[i - 1].strip() for i in list_body_lines(SOURCE)}
    assert "x += 1" in bodies
    assert not {"LIMIT: float = 2.0", "def area(A, x, y: int = 3, *, deep: bool = True):"} & bodies


def test_changes_of_the_package_parse_and_every_folder_has_some():
    mutants = draw("a seed", 60, "")
    assert {m.file.partition("/")[0] for m in mutants} >= {
        p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()
    }
    for mutant in mutants:
        source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.change.apply(source))) != ast.dump(ast.parse(source))
    assert draw("a seed", 60, "") == mutants != draw("another", 60, "")
