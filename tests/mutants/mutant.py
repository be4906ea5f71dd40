"""Mutants: which change of which file; draws of them, and the files that keep them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from tests.mutants.changes import Change, list_changes
from tests.mutants.switch import PACKAGE

MUTANTS = "SCREWGRAPH_MUTANTS"
"""The environment variable that names the file of mutants."""
MAP = "SCREWGRAPH_MUTANTS_MAP"
"""The environment variable that names the file of the map."""


@dataclass(frozen=True)
class Mutant:
    """A change of one file of the package."""

    file: str
    change: Change

    def source(self) -> str:
        """Return the text of the file that is changed."""
        return (PACKAGE / self.file).read_text(encoding="utf-8")

    def __str__(self) -> str:
        return f"src/screwgraph/{self.file}:{self.change.line}: {self.change}"


def draw_mutants(seed: str, count: int, within: str) -> list[Mutant]:
    """Return mutants at random: each folder has a share by its number of possible changes, at least one."""
    rng, folders = Random(seed), defaultdict[str, list[Mutant]](list)
    for path in sorted((PACKAGE / within).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        folders[file.partition("/")[0]] += [Mutant(file, c) for c in list_changes(path.read_text(encoding="utf-8"))]
    total = sum(map(len, folders.values()))
    shares = {name: max(1, round(count * len(found) / total)) for name, found in folders.items() if found}
    drawn = [m for name, share in shares.items() for m in rng.sample(folders[name], min(share, len(folders[name])))]
    rng.shuffle(drawn)
    return drawn


def write_mutants(path: Path, mutants: Sequence[Mutant]) -> None:
    """Write mutants to a file; their numbers are their places in it."""
    path.write_text("".join(json.dumps(asdict(m)) + "\n" for m in mutants), encoding="utf-8")


def read_mutants(path: Path) -> list[Mutant]:
    """Read mutants that `write_mutants` has written."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Mutant(m["file"], Change(**{**m["change"], "outer": tuple(m["change"]["outer"])})) for m in lines]
