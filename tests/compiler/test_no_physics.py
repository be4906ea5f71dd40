"""Elimination and compiler know roles, not names: no kind of variable and no law of a robot stands in their sources."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import screwgraph
from screwgraph.graph import KINDS, TEMPLATES

SOURCES = Path(screwgraph.__file__).parent
NAMES = ({*KINDS} | {*TEMPLATES} | {"joint", "link", "chain"}) - {"loop"}  # a loop is one of machine code, too
ASIDE = {"orderings", "analytic", "backends", "llvm"}
"""Orders and closed forms are of robots; machine code has names of its own for registers."""
FILES = [
    path
    for folder in ("elimination", "compiler")
    for path in sorted((SOURCES / folder).rglob("*.py"))
    if not {*path.parts} & ASIDE
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_name_of_physics_stands_here(path):
    tree = ast.parse(path.read_text())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not texts & NAMES
