"""A process of its own that expands a xacro file: expressions in it, and what xacro keeps, are not the user's process.

It is run as a script, and imports nothing of screwgraph but the file `packages.py` beside it. Standard input and output
are JSON: what to expand, and the document or what is wrong with it. Elements of the document carry the line, and the
file, in which they were written, through macros and included files.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any
from xml.dom import expatbuilder, minidom
from xml.parsers.expat import ExpatError

KEY = "written"
PREFIX, SPACE = "written", "urn:screwgraph:written"
"""Namespace of the attributes `file` and `line`."""


class Numbered(expatbuilder.ExpatBuilderNS):
    """Builds a document whose elements remember file and line."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def start_element_handler(self, name, attributes):
        super().start_element_handler(name, attributes)
        self.curNode.setUserData(KEY, (self.file, self.getParser().CurrentLineNumber), Copied())


class Copied:
    """Hands what an element remembers to its copies: macros are copied where they are called."""

    def handle(self, operation, key, data, src, dst):
        if dst is not None:
            dst.setUserData(key, data, self)


class Arguments(dict):
    """Values for <xacro:arg>; remembers which the file asks for."""

    def __init__(self, given):
        super().__init__(given)
        self.asked = set()

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)


class Context(dict):
    """Knows the file that is being expanded, for $(dirname)."""

    def __init__(self, xacro):
        super().__init__()
        self.xacro = xacro

    def get(self, key, default=None):
        return self.xacro.filestack[-1] if key == "filename" else super().get(key, default)


class NoPackageError(Exception):
    """$(find ...) names a package that is nowhere."""


class BrokenError(Exception):
    """A file is no XML: which, where, why."""


def expand(job, xacro, substitution, packages):
    """Return the answer to a job."""
    near = Path(job["file"]).parent if job["text"] is None else None
    warnings, given = [], Arguments(job["args"])

    def find(name):
        folder = packages.find(name, near)
        if folder is None:
            raise NoPackageError(name)
        return str(folder)

    def absolute(spec):
        scheme, mark, rest = spec.partition("package://")
        if scheme or not mark:
            return beside(spec)
        name, _, inside = rest.partition("/")
        return os.path.join(find(name), inside)

    def parsed(content, filename=job["file"]):
        file = job["file"] if content is not None else filename
        if content is None:
            try:
                content = Path(filename).read_bytes()
            except OSError as error:
                xacro.filestack.pop()
                raise xacro.XacroException(exc=error) from error
        try:
            return Numbered(file).parseString(content)
        except ExpatError as error:
            raise BrokenError(file, error.lineno, str(error).partition(": line")[0]) from error

    # xacro asks for packages through ROS, reads files without lines, and prints its warnings.
    substitution._eval_find = substitution._eval_dict["find"] = find
    beside, xacro.abs_filename_spec = xacro.abs_filename_spec, absolute
    xacro.parse = parsed
    xacro.substitution_args_context = Context(xacro)
    xacro.warning = lambda *words, **_: warnings.append(" ".join(map(str, words)))
    xacro.print_location = lambda *_, **__: None
    xacro.init_stacks(job["file"] if job["text"] is None else None)
    try:
        document = parsed(job["text"], job["file"])
        xacro.process_doc(document, mappings=given)
    except BrokenError as error:
        file, line, why = error.args
        return failure(file, line, f"the XML is broken: {why}", "")
    except Exception as error:  # whatever an expression in the file raises
        file, line = where(error) or ((xacro.filestack or [None])[-1] or job["file"], None)
        lost = lost_package(error)
        return failure(file, line, "" if lost else text_of(error), lost)
    unknown = sorted(set(job["args"]) - given.asked)
    root: Any = document.documentElement
    if root.tagName in ("robot", "sdf"):  # MuJoCo refuses attributes that it does not know
        mark(root, job["file"])
    return {
        "xml": root.toxml(),
        "warnings": [w for w in dict.fromkeys(warnings) if not w.startswith("redefining global symbol")],
        "unknown": unknown,
        "asked": sorted(given.asked),
    }


def failure(file, line, why, package):
    """Return the answer where something is wrong."""
    return {"error": {"file": str(file), "line": line, "why": why, "package": package}}


def lost_package(error):
    """Return the package that was looked for in vain, if that is what went wrong."""
    found = root_of(error)
    return str(found) if isinstance(found, NoPackageError) else ""


def root_of(error):
    """Return the error that xacro's own wrap."""
    while isinstance(getattr(error, "exc", None), Exception):
        error = error.exc
    return error


def text_of(error):
    """Say in one line what is wrong."""
    if isinstance(error, RecursionError):
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


def main():
    """Answer the job on standard input."""
    job = json.load(sys.stdin)
    answer, sys.stdout = sys.stdout, sys.stderr  # expressions may print
    spec: Any = importlib.util.spec_from_file_location("packages", Path(__file__).with_name("packages.py"))
    packages = importlib.util.module_from_spec(spec)
    sys.modules["packages"] = packages
    spec.loader.exec_module(packages)
    try:  # not by `import`: type checkers do not find an extra that is not installed
        xacro = importlib.import_module("xacro")
        substitution = importlib.import_module("xacro.substitution_args")
    except ImportError:
        result = {"absent": True}
    else:
        result = expand(job, xacro, substitution, packages.Packages(job["named"], job["folders"]))
    json.dump(result, answer)
    answer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
