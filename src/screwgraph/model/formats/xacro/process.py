"""A process of its own that expands a xacro file: what it takes of time and memory is bounded, and the process ends.

It is run as a script. Standard input and output are JSON: what to expand, and the document or what is wrong with it.
Elements of the document carry the line, and the file, in which they were written, through macros and included files.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from xml.dom import minidom

FORMATS = importlib.util.module_from_spec(ModuleSpec("screwgraph.model.formats", None))
"""Stands for the package of formats, which imports all readers of robots: xacro files need their own alone."""
FORMATS.__path__ = [str(Path(__file__).parents[1])]
sys.path.append(str(Path(__file__).parents[4]))
sys.modules.setdefault("screwgraph.model.formats", FORMATS)

from screwgraph.model.formats.xacro.expansion import KEY, BrokenError, Expansion, NoValueError  # noqa: E402
from screwgraph.model.formats.xacro.files import NoPackageError  # noqa: E402
from screwgraph.model.formats.xacro.values import ExpressionError  # noqa: E402

PREFIX, SPACE = "written", "urn:screwgraph:written"
"""Namespace of the attributes `file` and `line`."""
MEMORY = 1_500_000_000
"""Bytes that expanding may take."""
SECONDS = 60
"""Time of the processor that it may take."""
LARGEST = 20_000_000
"""Characters of the document."""


def expand(job, xacro):
    """Return the answer to a job."""
    expansion = Expansion(job, xacro)
    expansion.install()
    try:
        document = expansion.document()
        root: Any = document.documentElement
        if root.tagName in ("robot", "sdf"):  # MuJoCo refuses attributes that it does not know
            mark(root, job["file"])
        text = root.toxml()
        if len(text) > LARGEST:
            raise ExpressionError(f"it expands to {len(text) / 1e6:.0f} million characters")
    except BrokenError as error:
        file, line, why = error.args
        return failure(file, line, f"the XML is broken: {why}")
    except Exception as error:  # whatever an expression in the file raises
        file, line = where(error) or ((xacro.filestack or [None])[-1] or job["file"], None)
        lost = root_of(error)
        if isinstance(lost, NoPackageError):
            return failure(file, line, package=str(lost))
        if isinstance(lost, NoValueError):
            known = expansion.given.asked.union(expansion.given.keys() - job["args"].keys())
            takes = {*expansion.declared, *(name for name in expansion.given if name in known)}
            return failure(file, line, argument=lost.args[0], takes=sorted(takes))
        return failure(file, line, text_of(error))
    given = expansion.given
    warnings = dict.fromkeys(expansion.warnings)
    return {
        "xml": text,
        "warnings": [w for w in warnings if not w.startswith("redefining global symbol")],
        "unknown": sorted(set(job["args"]) - given.asked),
        "asked": sorted(given.asked),
        "arguments": {name: given[name] for name in expansion.declared if name in given},
    }


def failure(file, line, why="", **more):
    """Return the answer where something is wrong: `more` are a package, or an argument and those that there are."""
    return {"error": {"file": str(file), "line": line, "why": why, **more}}


def root_of(error):
    """Return the error that xacro's own wrap."""
    while isinstance(getattr(error, "exc", None), Exception):
        error = error.exc
    return error


def text_of(error):
    """Say in one line what is wrong."""
    if isinstance(root_of(error), MemoryError):
        return f"it takes more than {MEMORY / 1e9:g} GB of memory"
    if isinstance(root_of(error), RecursionError):
        return "macros, files or properties refer to themselves without end"
    root = root_of(error)
    if isinstance(root, OSError) and root.filename is not None:
        return f"{root.filename} cannot be read: {root.strerror}"
    return " ".join((str(error) or repr(error)).split())


def where(error):
    """Return file and line of the innermost element that was being expanded, None where there is none."""
    found, trace = None, error.__traceback__
    while trace is not None:
        for name in ("elt", "node", "tag"):
            element = trace.tb_frame.f_locals.get(name)
            while isinstance(element, minidom.Node):
                at = element.getUserData(KEY)
                if at is not None:
                    found = at
                    break
                element = element.parentNode
        trace = trace.tb_next
    return found


def mark(root, file):
    """Write on all elements on which line they were written, and in which file if it is another than this."""
    root.setAttribute(f"xmlns:{PREFIX}", SPACE)
    for element in (root, *root.getElementsByTagName("*")):
        at = element.getUserData(KEY)
        if at is not None:
            element.setAttribute(f"{PREFIX}:line", str(at[1]))
            if at[0] != file:
                element.setAttribute(f"{PREFIX}:file", str(at[0]))


def limit_resources():
    """Bound memory and time, and write no files, where the system can."""
    try:
        import resource
    except ImportError:
        return
    held = Path("/proc/self/statm")
    used = int(held.read_text().split()[0]) * resource.getpagesize() if held.exists() else 0
    limits = {"AS": used + MEMORY, "CPU": SECONDS, "FSIZE": 0, "CORE": 0}
    for name, most in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main():
    """Answer the job on standard input."""
    job = json.load(sys.stdin)
    answer, sys.stdout = sys.stdout, sys.stderr  # the package may print
    try:  # not by `import`: type checkers do not find an extra that is not installed
        xacro = importlib.import_module("xacro")
        importlib.import_module("yaml")
    except ImportError:
        result = {"absent": True}
    else:
        limit_resources()
        result = expand(job, xacro)
    json.dump(result, answer)
    answer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
