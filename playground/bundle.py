"""What the page carries: Pyodide, the part of its library that is needed, screwgraph's sources; packed as text."""

from __future__ import annotations

import io
import json
import lzma
import re
import struct
import tempfile
import zipfile
from base64 import b85encode
from collections.abc import Mapping
from pathlib import Path

from playground.node import run

HERE = Path(__file__).parent
SOURCES = HERE.parent / "src"
PACKAGES = ("base", "elimination", "graph", "model", "spatial", "tape", "ui/draw")
"""Packages of screwgraph that lead from a file to straight-line code and figures."""
MODULES = (
    "__init__",
    "ui/__init__",
    *(f"ui/view/{name}" for name in ("primitive_parts", "skeleton")),
    *(f"compiler/{name}" for name in ("problem/problem", "signature")),
    *(f"compiler/passes/{name}" for name in ("angle_reduction", "outlining", "loop_rerolling")),
    *(f"compiler/backends/wasm/{name}" for name in ("encoding", "module", "operations", "routine")),
)
HOLLOW = (
    *("compiler", "compiler/backends", "compiler/backends/wasm", "compiler/passes", "compiler/problem"),
    *("ui/draw", "ui/view"),
)
"""Packages whose `__init__` imports more than the page has: empty there."""
_IDLE = re.compile(
    "__main__|windows|proactor|/tools?.py|/http/|console|_pyfetch|_nodesock|compression/(bz2|gzip|lzma|zlib)|html/parser"
)
"""Parts of listed packages that the page does not need."""
ASKED_FOR = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")


def packed(package: Path) -> str:
    """Return all that the page's Python is made of, in base 85, from the unpacked npm package `pyodide`."""
    files = {name: (package / name).read_bytes() for name in ASKED_FOR}
    files["lock.json"] = json.dumps(
        {**json.loads((package / "pyodide-lock.json").read_text()), "packages": {}}
    ).encode()
    files["python_stdlib.zip"] = compiled(stored(needed(package / "python_stdlib.zip")), package)
    files["screwgraph.zip"] = compiled(stored(own()), package)
    return as_text(compressed(archive(files)))


def needed(library: Path) -> dict[str, bytes]:
    """Return the modules of Python's library that are listed in `stdlib.txt`, packages with all that is in them."""
    wanted = (HERE / "stdlib.txt").read_text().split()
    with zipfile.ZipFile(library) as found:
        names = [n for n in found.namelist() if any(n == f"{w}.py" or n.startswith(f"{w}/") for w in wanted)]
        return {name: found.read(name) for name in names if name.endswith(".py") and not _IDLE.search(name)}


def own() -> dict[str, bytes]:
    """Return the sources of screwgraph that the page needs, what stands in for its dependencies, and its program."""
    root = SOURCES / "screwgraph"
    paths = [p for package in PACKAGES for p in sorted((root / package).rglob("*.py"))]
    paths += [root / f"{name}.py" for name in MODULES]
    found = {p.relative_to(SOURCES).as_posix(): p.read_bytes() for p in paths}
    found |= {f"screwgraph/{name}/__init__.py": b"" for name in HOLLOW}
    standin = HERE / "standin"
    found |= {p.relative_to(standin).as_posix(): p.read_bytes() for p in sorted(standin.rglob("*.py"))}
    return {**found, "program.py": (HERE / "program.py").read_bytes()}


def compiled(sources: bytes, package: Path) -> bytes:
    """Return the archive of the modules that Python in the page makes of an archive of sources; Node.js runs it."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "sources.zip", Path(folder) / "result.zip"
        source.write_bytes(sources)
        run("node", HERE / "compiled.mjs", package.resolve(), source, result)
        return result.read_bytes()


def stored(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive without compression: all is compressed together, later."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_STORED) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name), content)
    return memory.getvalue()


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return files one behind the other, after the length of a list of names and sizes, and the list."""
    listed = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    return struct.pack(">I", len(listed)) + listed + b"".join(files.values())


def compressed(content: bytes) -> bytes:
    """Return an LZMA stream that knows its length: three quarters of what gzip makes."""
    preset = 9 | lzma.PRESET_EXTREME
    options = [{"id": lzma.FILTER_LZMA1, "preset": preset, "dict_size": 1 << 24, "lc": 3, "lp": 0, "pb": 0}]
    made = lzma.compress(content, lzma.FORMAT_ALONE, filters=options)
    return made[:5] + struct.pack("<Q", len(content)) + made[13:]


def as_text(content: bytes) -> str:
    """Return bytes in base 85; letters of HTML's own are not among these."""
    return b85encode(content + bytes(-len(content) % 4)).decode().replace("<", ",")
