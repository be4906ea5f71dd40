"""Recipes of docs/extend: a block that begins with a module's path, and what registers it, is a new file and one line.

    # screwgraph/model/robot/joints/cam.py
    # JOINT_TYPES in screwgraph/model/robot/joints/__init__.py: "cam": Cam

A page with such blocks runs on a copy of the package with these files and lines.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT, blocks

HEADER = re.compile(
    r"# (?P<file>screwgraph/\S+\.py)\n# (?P<registry>[A-Z_]+) in (?P<where>screwgraph/\S+\.py): (?P<entry>.+)\n"
)


@dataclass(frozen=True)
class Recipe:
    """A module of a page: its path in the package, its text, and the entry that a registry takes."""

    file: str
    text: str
    registry: str
    where: str
    entry: str


def recipes(page: Path) -> list[Recipe]:
    """Return the recipes of a page, in order."""
    texts = [block.text for block in blocks(page) if block.language == "python"]
    found = [(HEADER.match(text), text) for text in texts]
    return [Recipe(text=text, **match.groupdict()) for match, text in found if match]


def extended(page: Path, folder: Path) -> Path:
    """Copy the package into a folder, with the files and lines of a page's recipes; return that folder."""
    shutil.copytree(ROOT / "src" / "screwgraph", folder / "screwgraph")  # with bytecode, as times of files are kept
    for recipe in recipes(page):
        file, where = folder / recipe.file, folder / recipe.where
        assert not file.exists()
        file.write_text(recipe.text, encoding="utf-8")
        where.write_text(registered(where.read_text(encoding="utf-8"), recipe), encoding="utf-8")
    return folder


def registered(text: str, recipe: Recipe) -> str:
    """Return a module whose registry has the recipe's entry as its last one, and what that needs imported."""
    found = re.search(rf"^{recipe.registry}\b[^\n]*?= [{{(](?:[^\n]*[}})]|.*?\n[}})])$", text, re.MULTILINE | re.DOTALL)
    assert found, f"{recipe.where} has no registry {recipe.registry}"
    block = found[0]
    end = block.rindex(",\n") + 2 if ",\n" in block else len(block) - 1
    entry = f"    {recipe.entry},\n" if ",\n" in block else f", {recipe.entry}"
    (name,) = re.findall(r"(\w+)(?:\(\))?$", recipe.entry)
    module = recipe.file.removesuffix(".py").replace("/", ".")
    line = f"from {module} import {name}\n\n"
    return text[: found.start()] + line + block[:end] + entry + block[end:] + text[found.end() :]
