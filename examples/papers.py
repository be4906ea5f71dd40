"""Every table and figure of the five papers that can be made again, into docs/papers: what `papers.yaml` lists.

Run: python -m examples.papers [--only PAPER ...]; `make papers`. Each command runs once, in a folder of its own, two at
a time; one that starts two processes itself runs alone.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml
from examples.thin import keep

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIST = HERE / "papers.yaml"
RESULTS = ROOT / "docs" / "papers"
CITED = {
    "xie_2019": "Xie & Dellaert (2019)",
    "blanco_2021": "Blanco-Claraco et al. (2021)",
    "xie_2020": "Xie et al. (2020)",
    "chignoli_2023": "Chignoli et al. (2023)",
    "slides": "Slides",
}
"""How the papers are cited, by the names that begin files."""
TITLES = {
    "xie_2019": "one method for inverse, forward and hybrid manipulator dynamics using factor graphs",
    "blanco_2021": "a framework for multibody systems using factor graphs",
    "xie_2020": "factor graphs for optimization problems with dynamics constraints",
    "chignoli_2023": "a propagation perspective on recursive forward dynamics with kinematic loops",
    "slides": "recursive Newton-Euler as a factor graph",
}


@dataclass(frozen=True)
class Entry:
    """A table or figure, the command that makes it, and how it compares; without a command it cannot be made."""

    paper: str
    number: str
    what: str
    verdict: str
    why: str = ""
    command: str = ""
    pictures: tuple[str, ...] = ()
    text: bool = False
    needs: str = ""
    alone: bool = False

    @property
    def printed(self) -> str:
        """The name of the file that keeps what the command prints."""
        return f"{Path(shlex.split(self.command)[1]).stem if self.command.startswith('python') else self.slug}.txt"

    @property
    def slug(self) -> str:
        """A name for files."""
        return f"{self.paper.replace('_', '-')}-" + "".join(c if c.isalnum() else "-" for c in self.number.lower())


def main() -> None:
    """Run what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description="Make the papers' tables and figures again.")
    parser.add_argument("--only", nargs="*", choices=sorted(TITLES), help="papers; default: all")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1), help="how many run at a time")
    asked = parser.parse_args()
    entries = listed()
    RESULTS.mkdir(parents=True, exist_ok=True)
    chosen = [e for e in entries if asked.only is None or e.paper in asked.only]
    commands = list(dict.fromkeys(e.command for e in chosen if e.command and _can_run(e)))
    # The long ones are scripts: they come first, so that no core waits for the last of them.
    commands.sort(key=lambda command: not command.startswith("python"))
    alone = {e.command for e in chosen if e.alone}
    run([c for c in commands if c in alone], chosen, at_a_time=1)
    run([c for c in commands if c not in alone], chosen, at_a_time=max(asked.processes, 1))
    (RESULTS / "index.md").write_text(page(entries), encoding="utf-8")


def listed() -> list[Entry]:
    """Read the list."""
    rows = yaml.safe_load(LIST.read_text(encoding="utf-8"))
    return [Entry(**{**row, "pictures": tuple(row.get("pictures", ()))}) for row in rows]


def run(commands: Sequence[str], entries: Sequence[Entry], at_a_time: int) -> None:
    """Run commands, each for all entries that it makes, and say how long they took."""
    with ThreadPoolExecutor(at_a_time) as pool:
        for line in pool.map(lambda command: timed([e for e in entries if e.command == command]), commands):
            print(line, flush=True)


def timed(entries: Sequence[Entry]) -> str:
    """Run the command of entries; return how long it took."""
    start = time.perf_counter()
    make(entries)
    return f"{time.perf_counter() - start:6.1f} s  {entries[0].command}"


def make(entries: Sequence[Entry]) -> None:
    """Run the command of entries, and keep the pictures and the text that they show."""
    environment = {**os.environ, "SCREWGRAPH_SEARCH_SECONDS": "0", "COLUMNS": "118", "PYTHONIOENCODING": "utf-8"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "out").mkdir()
        (Path(folder) / "matplotlibrc").write_text("svg.hashsalt: screwgraph\n")  # names inside are the same each time
        done = subprocess.run(
            arguments(entries[0].command), cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode:
            sys.exit(f"{entries[0].command}: exit status {done.returncode}\n{done.stderr}")
        for entry in entries:
            for picture in entry.pictures:
                keep(Path(folder) / "out" / picture, RESULTS / picture)
            if entry.text:
                lines = [line.rstrip() for line in done.stdout.splitlines()]
                (RESULTS / entry.printed).write_text("\n".join(lines).strip("\n") + "\n", encoding="utf-8")


def arguments(command: str) -> list[str]:
    """Return a command as a list, its program and script by their full paths."""
    program, *rest = shlex.split(command)
    if program == "python":
        return [sys.executable, str(ROOT / rest[0]), *rest[1:]]
    return [sys.executable, "-c", "from screwgraph.ui.cli import main; main()", *rest]


def page(entries: Sequence[Entry]) -> str:
    """Write the page: a table of all, then what was made, its command under it."""
    lines = ["# The papers' tables and figures", ""]
    lines += ["Written by `make papers` from `examples/papers.yaml`. The papers:", ""]
    lines += [f"- {CITED[paper]}: {title}" for paper, title in TITLES.items()]
    lines += ["", "| paper | number | what | command | compares |", "|---|---|---|---|---|"]
    for e in entries:
        command, why = f"`{e.command}`" if e.command else "-", f": {e.why}" if e.why else ""
        lines.append(f"| {CITED[e.paper]} | {e.number} | {e.what} | {command} | {e.verdict}{why} |")
    for e in entries:
        cited = CITED[e.paper]
        if e.command and (e.pictures or e.text):
            lines += ["", f"## {cited}, {e.number}", "", f"{e.what[0].upper()}{e.what[1:]}.", ""]
            for picture in e.pictures:
                lines += [f"![{cited}, {e.number}: {e.what}]({picture})", ""]
            lines += ["```sh", e.command, "```"]
            if e.text:
                lines += ["", f"```{{literalinclude}} {e.printed}", ":language: text", "```"]
    return "\n".join(lines) + "\n"


def _can_run(entry: Entry) -> bool:
    """Tell whether the files that an entry needs are beside the checkout; says so where they are not."""
    there = not entry.needs or (ROOT.parent / "shared" / entry.needs).exists()
    if not there:
        print(f"left as it is: {entry.command} (shared/{entry.needs} is not here)")
    return there


if __name__ == "__main__":
    main()
