"""Running the command line inside the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from screwgraph.ui.cli import run


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


Command = Callable[..., Outcome]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `screwgraph ARGUMENTS`."""

    def outcome(*arguments: object) -> Outcome:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Outcome(status, streams.out, streams.err)

    return outcome


@pytest.fixture
def refused(command: Command) -> Command:
    """Run a command that must fail, with one line on stderr and nothing on stdout."""

    def outcome(status: int, *arguments: object) -> Outcome:
        result = command(*arguments)
        assert (result.status, result.out) == (status, "")
        assert result.err.count("\n") == 1
        assert result.err.endswith("\n")
        assert "Traceback" not in result.err
        return result

    return outcome


@pytest.fixture
def state_file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Write a state file, its name with a space in it."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "a state.json"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write
