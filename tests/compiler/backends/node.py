"""JavaScript modules run by Node.js, which comes with pyright's package."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playground.node import command

CALLED = """import * as module from MODULE;
const numbers = (x) => (Array.isArray(x) ? x.map(numbers) : Number(x));
const texts = (x) => (typeof x === "number" ? String(x) : x.map ? Array.from(x, texts)
  : Object.fromEntries(Object.entries(x).map(([name, y]) => [name, texts(y)])));
const calls = numbers(CALLS);
process.stdout.write(JSON.stringify(calls.map((call) => texts(module.NAME(...call)))));
"""
"""Numbers go in and come out as texts: JSON has neither infinities nor NaN."""


def node() -> list[str]:
    """Return the words that run Node.js, or skip the test where there is none."""
    try:
        return command("node")
    except RuntimeError as error:
        pytest.skip(str(error))


def called(module: Path, name: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
    """Return what a function of a module gives for each list of arguments."""
    given = json.dumps([[_texts(argument) for argument in call] for call in calls])
    script = CALLED.replace("MODULE", json.dumps(module.as_uri())).replace("CALLS", given).replace("NAME", name)
    runner = module.parent / f"call_{name}.mjs"
    runner.write_text(script)
    done = subprocess.run([*node(), str(runner)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [_numbers(result) for result in json.loads(done.stdout)]


def _texts(values: Any) -> list[str]:
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return ["NaN" if x != x else names.get(x, repr(float(x))) for x in np.ravel(values)]


def _numbers(result: Any) -> Any:
    if isinstance(result, dict):
        return {name: _numbers(values) for name, values in result.items()}
    return np.array([float(x) for x in result])
