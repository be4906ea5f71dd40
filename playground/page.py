"""The page as one file: text, scripts, robots, and all that its Python is made of."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import screwgraph as sg
from playground.bundle import HERE, SOURCES, packed
from playground.pyodide import VERSION

ROBOTS = ("rrr", "cart_pole", "puma560", "panda", "a1", "four_bar_linkage", "five_bar")
PARTS = ("style.css", "worker.js", "figure.js", "mesh_files.js", "robot.js", "dropped.js", "loops.js", "page.js")
SHARED = ("numbers.js", "meshes.js", "paint.js", "closing.js")
"""How solids are painted and loops close in pages: one piece for these and those of `screwgraph view`."""
VIEW = SOURCES / "screwgraph" / "ui" / "view" / "page"
MOST = 5_000_000
"""Bytes that the page may have."""


def page(package: Path) -> str:
    """Return the page, from the unpacked npm package `pyodide`."""
    text = (HERE / "page" / "index.html").read_text("utf-8")
    parts = {name: (HERE / "page" / name).read_text("utf-8") for name in PARTS}
    robots = json.dumps({name: urdf(name) for name in ROBOTS}).replace("<", "\\u003c")
    parts |= {name: (VIEW / name).read_text("utf-8") for name in SHARED}
    parts |= {"robots": robots, "version": VERSION, "data": packed(package)}
    for name, content in parts.items():
        text = text.replace("{{" + name + "}}", content)
    return text


def urdf(name: str) -> str:
    """Return a built-in robot as URDF."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.urdf"
        sg.save(sg.load(name), path)
        return path.read_text("utf-8")
