"""What stands in the pages: fenced blocks, pictures, links; `python -m tests.docs.pages` makes the pictures anew.

A block of ```python is run in its page's namespace, one of ```console line by line after `$ `; a block of ```output
after Python, and the lines without `$ ` in a console, are what is printed, `...` standing for anything. A block whose
first line is only a file's name in a comment is that file. A command that fails says `# exit status 1` at its end.
What begins with `# long` takes more than some seconds: tests leave it out, `make papers` and `make pictures` run it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"^(?P<ticks>`{3,})(?P<language>[^\s`]*)[^\n]*\n(?P<text>.*?)^(?P=ticks)\s*$", re.MULTILINE | re.DOTALL
)
PICTURE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)]+)\)")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
FILE = re.compile(r"^(?:#|//|<!--|/\*)\s*(?P<name>[\w-]+\.\w+)\s*(?:-->|\*/)?$")
LONG = "# long"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line that the text begins in, and what it is to print."""

    language: str
    text: str
    line: int
    output: str | None = None

    @property
    def file(self) -> str | None:
        """The name of the file that the block is, if it is one."""
        found = FILE.match(self.text.split("\n", 1)[0])
        return found["name"] if found else None

    @property
    def is_long(self) -> bool:
        """Whether the block takes too long for the tests."""
        return self.text.startswith(LONG)


def pages() -> list[Path]:
    """Return README.md and the pages of docs/, those that `make papers` writes left out."""
    docs = (path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
    return [ROOT / "README.md", *sorted(docs)]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order; what a Python block prints is put with it."""
    found: list[Block] = []
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text[: match.start("text")].count("\n") + 1
        if match["language"] == "output":
            found[-1] = replace(found[-1], output=match["text"])
        else:
            found.append(Block(match["language"], match["text"], line))
    return found


def pictures(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the pictures of a page: where they lie, and the text that stands under them; badges of others left out."""
    text = page.read_text(encoding="utf-8")
    for match in PICTURE.finditer(text):
        if "://" in match["target"]:
            continue
        yield (page.parent / match["target"]).resolve(), text[match.end() :]


def links(page: Path) -> list[str]:
    """Return what a page links to, blocks left out."""
    return [match["target"] for match in LINK.finditer(FENCE.sub("", page.read_text(encoding="utf-8")))]


def main() -> None:
    """Run pages, and put the pictures that they make where the pages look for them."""
    from examples.thin import keep

    from tests.docs.running import run_page

    parser = argparse.ArgumentParser(description="Run pages and renew their pictures.")
    parser.add_argument("--long", action="store_true", help="the blocks that tests leave out, too")
    parser.add_argument("pages", nargs="*", type=Path, help="default: all")
    parser.add_argument("--only-long", action="store_true", help="only pages that have such blocks")
    asked = parser.parse_args()
    chosen = [path.resolve() for path in asked.pages] or pages()
    for page in chosen:
        if asked.only_long and not any(block.is_long for block in blocks(page)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run_page(page, Path(folder), long=asked.long or asked.only_long)
            for picture, _ in pictures(page):
                for made in (Path(folder) / part / picture.name for part in ("", "out")):
                    if not made.exists():
                        continue
                    picture.parent.mkdir(parents=True, exist_ok=True)
                    keep(made, picture)
        print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
