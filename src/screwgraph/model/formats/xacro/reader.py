"""xacro files, expanded by the package xacro in a process of its own.

Expressions of the file are evaluated by walking them (`expressions`), never by Python's own evaluation.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import Place, Warnings, quote_text, suggest_name
from screwgraph.model.formats.packages import ROS_1, ROS_2, Packages

SUFFIX = ".xacro"
LONGEST = 60.0
"""Seconds that a file may take to expand."""
_PROCESS = Path(__file__).with_name("process.py")
_NAMESPACE = re.compile(rb"xmlns:xacro\s*=")
_NAME = re.compile(r"[^\s:=]+")


@dataclass(frozen=True)
class Expanded:
    """The document that a xacro file expands to, and the values of the file's arguments."""

    __repr__ = one_line

    data: bytes
    arguments: Mapping[str, str]


def is_xacro(text: bytes) -> bool:
    """Whether a robot description that has no suffix is one in xacro."""
    return bool(_NAMESPACE.search(text))


def expand_xacro(
    file: str, text: bytes | None, arguments: Mapping[str, str], packages: Packages, warnings: Warnings
) -> Expanded:
    """Expand a xacro file, or the text that `file` stands for; `parse_xml` knows where its elements were written.

    Raises:
        ModelError: xacro is not installed, an error in the file or one that it includes, a package that is nowhere,
            an argument without a value, more than `LONGEST` seconds.
        InputError: a value for an argument that the file does not take.
    """
    job = {
        "file": file,
        "text": None if text is None else text.decode("utf-8", "replace"),
        "args": dict(arguments),
        "named": dict(packages.named),
        "folders": list(packages.folders),
    }
    said = _said(job, file)
    if said.get("absent"):
        raise ModelError(
            "xacro, which expands such files, is not installed", at=Place(file), fix="pip install 'screwgraph[xacro]'"
        )
    if "error" in said:
        raise _complaint(said["error"])
    if said["unknown"]:
        name = said["unknown"][0]
        takes = ", ".join(said["asked"]) or "none"
        fix = suggest_name(name, said["asked"]) or f"it takes {takes}"
        raise InputError(f"xacro_args: the file has no <xacro:arg> {quote_text(name)}", at=file, fix=fix)
    for line in said["warnings"]:
        warnings.add(f"xacro: {line}", at=Place(file))
    return Expanded(said["xml"].encode("utf-8"), said["arguments"])


def format_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return values of arguments as xacro reads them. Raises InputError for names that are none."""
    for name in arguments:
        if not _NAME.fullmatch(name):
            raise InputError(
                f"xacro_args: {quote_text(name)} is no name of an argument", fix='xacro_args={"prefix": "left_"}'
            )
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def _complaint(error: Mapping[str, Any]) -> ModelError:
    at = Place(error["file"], error["line"])
    if "package" in error:
        name = error["package"]
        why = f"it is not in {ROS_1}, {ROS_2} or a folder above the file"
        fix = f"--packages {name}=FOLDER, in Python packages={{{name!r}: FOLDER}}, or set {ROS_1}"
        return ModelError(f"there is no package {quote_text(name)}", at=at, why=why, fix=fix)
    if "argument" in error:
        name = error["argument"]
        fix = f"--xacro {name}:=VALUE, in Python xacro_args={{{name!r}: VALUE}}"
        takes = f"the file takes {', '.join(error['takes'])}" if error["takes"] else "the file declares no argument"
        return ModelError(f"argument {quote_text(name)} has no default", at=at, why=takes, fix=fix)
    return ModelError("xacro cannot expand the file", at=at, why=error["why"])


def _said(job: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Run the process, and return its answer."""
    command = [sys.executable, "-P", str(_PROCESS)]
    try:
        done = subprocess.run(command, input=json.dumps(job).encode(), capture_output=True, timeout=LONGEST)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"xacro takes more than {LONGEST:g} s", at=Place(file), fix="expand it first") from error
    except OSError as error:
        raise ModelError("xacro cannot be started", at=Place(file), why=error.strerror or str(error)) from error
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise ModelError("xacro breaks down over the file", at=Place(file), why=last[0][:200]) from error
