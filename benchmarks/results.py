"""The file of results: machine, tables, and remarks written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.native import FLAGS, GENERATED, OURS, find_compiler
from benchmarks.peers.casadi_sx import CasadiSx
from benchmarks.peers.cppadcg import CppADCodeGen
from benchmarks.peers.generated_code import Maker
from benchmarks.peers.gtsam import Gtsam
from benchmarks.peers.pinocchio_cpp import PinocchioInCpp
from benchmarks.tables import Sheet, markdown
from screwgraph.model.formats import write_atomically
from screwgraph.ui.bench import PYTHON_PEERS, NotMeasuredError, Roofline, describe_machine

FOLDER = Path(__file__).resolve().parent
REMARKS = FOLDER / "REMARKS.md"
"""Written by hand: why a figure is not reached, and what was tried."""
MEASURED = "Measured on"


def described(compiler: str | None, roofline: Roofline) -> list[str]:
    """Describe the machine and what took part, one line a thing."""
    try:
        found = find_compiler(compiler)
        maker = Maker(found, lambda line: None, 0.0)
        native = f"{found.version} {' '.join(FLAGS)}; our C99 {' '.join(OURS)}; generated code {' '.join(GENERATED)}"
        peers = [PinocchioInCpp(found, maker.say), CppADCodeGen(maker), CasadiSx(maker)]
    except NotMeasuredError as reason:
        native, peers = f"not measured: {reason}", []
    here = describe_machine([*peers, *PYTHON_PEERS, Gtsam()])
    return [
        f"Processor: {here.processor}, {here.cores} cores, vectors of {here.width} doubles; everything on one core",
        f"Roofline of one core: {roofline.vector:.0f} GFLOP/s in vectors, {roofline.scalar:.1f} in single numbers",
        f"C and C++: {native}",
        *here.versions,
        f"Date: {datetime.now(UTC).date().isoformat()}",
    ]


def write(path: Path, machine_lines: Sequence[str], sheets: Sequence[Sheet], keep: bool = False) -> None:
    """Write all tables as one Markdown file. Raises InputError when it cannot be written.

    With `keep`, tables that the file has and that were not measured now stay, in their places; each says where it was
    measured.
    """
    here = _where(machine_lines)
    made = {sheet.title: f"{markdown(sheet).rstrip()}\n\n{here}\n" for sheet in sheets}
    old = _tables(path.read_text()) if keep and path.exists() else {}
    how = (
        "in several runs, of which this is the last one; each table says where it was measured" if old else "in one run"
    )
    parts = ["# Figures", "", f"Written by `make bench`; {how}.", ""]
    parts += [f"- {line}" for line in machine_lines] + [""]
    parts += [text.rstrip() + "\n" for text in {**old, **made}.values()]
    if REMARKS.exists():
        parts.append(REMARKS.read_text())
    write_atomically(path, ("\n".join(parts).rstrip() + "\n").encode(), str(path))


def _where(lines: Sequence[str]) -> str:
    """Say where and when tables were measured, from lines that describe a machine."""
    said = dict(line.removeprefix("- ").split(": ", 1) for line in lines if ": " in line)
    processor = said.get("Processor", "an unknown processor").partition(";")[0]
    return f"{MEASURED} {processor}; {said.get('Date', 'no date')}."


def _tables(text: str) -> dict[str, str]:
    """Return the sections of a file of results by title, without the remarks, each with where it was measured."""
    own = _sections(REMARKS.read_text()) if REMARKS.exists() else {}
    there = _where(text.partition("\n## ")[0].splitlines())
    tables = {title: section.rstrip() for title, section in _sections(text).items() if title not in own}
    return {title: text if MEASURED in text else f"{text}\n\n{there}" for title, text in tables.items()}


def _sections(text: str) -> dict[str, str]:
    return {part.partition("\n")[0]: f"## {part}" for part in re.split(r"(?m)^## ", text)[1:]}
