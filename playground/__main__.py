"""`python -m playground out/playground.html` writes the page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playground.page import MOST, page
from playground.pyodide import fetched


def main() -> None:
    """Write the page, one file that works without a network; npm gets Pyodide where `--pyodide` does not name it."""
    parser = argparse.ArgumentParser(prog="python -m playground", description=main.__doc__)
    parser.add_argument("target", nargs="?", type=Path, default=Path("out/playground.html"))
    parser.add_argument("--pyodide", type=Path, help="the unpacked npm package")
    given = parser.parse_args()
    try:
        text = page(given.pyodide or fetched(Path("out"))).encode()
    except RuntimeError as error:
        sys.exit(f"playground: {error}")
    given.target.parent.mkdir(parents=True, exist_ok=True)
    given.target.write_bytes(text)
    print(f"{given.target}: {len(text) / 1e6:.2f} MB")
    if len(text) > MOST:
        sys.exit(f"playground: the page is larger than {MOST / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
