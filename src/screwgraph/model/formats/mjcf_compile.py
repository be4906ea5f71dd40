"""MuJoCo's compiler in a process of its own: nothing in a file can end the user's process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.mjcf_names import import_mujoco

LONGEST = 120.0
"""Seconds that a file may take to compile."""
MODEL, SAID = "model.mjb", "said.json"
_CHILD = """
import json, sys
import mujoco
file, folder, model, said = sys.argv[1:]
warnings, error, text = [], None, sys.stdin.read()
mujoco.set_mju_user_warning(lambda line: warnings.append(str(line)))
try:
    made = mujoco.MjModel.from_xml_string(text) if text else mujoco.MjModel.from_xml_path(file)
    mujoco.mj_saveModel(made, folder + "/" + model, None)
except (ValueError, TypeError, OSError, UnicodeError) as problem:
    error = str(problem)
with open(folder + "/" + said, "w", encoding="utf-8", errors="backslashreplace") as out:
    json.dump({"warnings": warnings, "error": error}, out)
"""
"""MuJoCo hands names of a file to printf: `class="%s%s%n"` is the end of the process that reads it."""


def compile_mjcf(file: str, text: str | None, warnings: Warnings) -> Any:
    """Compile a model file, or the text that stands for it; MuJoCo's own warnings join ours.

    Raises:
        ModelError: MuJoCo is not installed, refuses the file, fails, or takes more than `LONGEST`.
    """
    try:
        mujoco = import_mujoco()
    except ImportError as error:
        raise ModelError(
            "MuJoCo, which reads MJCF files, is not installed", at=Place(file), fix="pip install 'screwgraph[mjcf]'"
        ) from error
    with tempfile.TemporaryDirectory(prefix="screwgraph-") as folder:
        said = _said(file, text, folder)
        for line in said["warnings"]:
            warnings.add(line, at=Place(file))
        if said["error"] is not None:
            raise ModelError("MuJoCo rejects the file", at=Place(file), why=" ".join(said["error"].split())[:300])
        return mujoco.MjModel.from_binary_path(str(Path(folder, MODEL)))


def _said(file: str, text: str | None, folder: str) -> dict[str, Any]:
    """Run the compiler, and return what it said."""
    command = [sys.executable, "-P", "-c", _CHILD, file, folder, MODEL, SAID]
    beside = os.path.dirname(file) if text else ""  # files that a text names lie beside the one that it stands for
    try:
        done = subprocess.run(
            command,
            input=(text or "").encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=LONGEST,
            cwd=beside or None,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"MuJoCo takes more than {LONGEST:g} s to compile the file", at=Place(file), fix="give it smaller meshes"
        ) from error
    except OSError as error:
        raise ModelError("MuJoCo cannot be started", at=Place(file), why=error.strerror or str(error)) from error
    try:
        return json.loads(Path(folder, SAID).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise ModelError(
            "MuJoCo breaks down over the file", at=Place(file), why=last[0][:200], fix="rename what has a % in it"
        ) from error
