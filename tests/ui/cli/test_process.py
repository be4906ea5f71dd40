"""The command as a process of its own: streams, encodings, interruptions."""

from __future__ import annotations

import os
import random
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.suites import record

START = (sys.executable, "-m", "screwgraph")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")}


def process(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """Run a command; lines of progress, which slow machines see, are left out."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, **options}
    done = subprocess.run([*START, *arguments], text=True, timeout=60, **options)
    done.stderr = re.sub(r"^\[ *\d+ s\] .*\n", "", done.stderr, flags=re.MULTILINE)
    return done


def test_the_exit_status_is_that_of_the_process():
    assert process("--version").returncode == 0
    assert process("info", "no.urdf").returncode == 1
    assert process("inof").returncode == 2


def test_a_command_that_fails_leaves_no_folder_behind(tmp_path):
    table = tmp_path / "log.csv"
    table.write_text("time,joint1,joint2\n0,0,0\n1,1,1\n")
    done = process("inverse", "rr", "--trajectory", str(table), "-o", str(tmp_path / "out"))
    assert (done.returncode, done.stderr) == (1, f"{table}:1: the trajectory has no times (call its column 'time' t)\n")
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_nothing_fails_where_the_terminal_lacks_letters():
    ascii_only = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    done = process("solve", "rr", "--problem", "inverse", "--algorithm", env=ascii_only)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u03c41 = " in done.stdout  # the torque of joint 1, as an escape


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interruption_is_one_line(tmp_path):
    pipe = tmp_path / "state.json"
    os.mkfifo(pipe)
    arguments = [*START, "solve", "rr", "--problem", "inverse", "--state", str(pipe)]
    running = subprocess.Popen(
        arguments,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore it
    )
    with running, pipe.open("w"):  # opens once the command reads, which it does until interrupted
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (130, "interrupted\n")


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_reader_that_leaves_early_is_no_traceback(as_json):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        done = process("info", "a1", *as_json, stdout=nobody)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_full_disk_is_one_line(as_json):
    with Path("/dev/full").open("w") as full:
        done = process("info", "a1", *as_json, stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith("the output cannot be written")
    assert done.stderr.count("\n") == 1


AT_IMPORT = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
signal.signal(signal.SIGINT, signal.default_int_handler)
from screwgraph.ui.cli import main
main(["info", "rr"])
"""


@pytest.mark.parametrize(
    "name",
    ["screwgraph.ui.cli.app", "numpy", "datetime", "typer", "screwgraph.model.formats", "screwgraph.model.robot"],
)
@pytest.mark.sampled(3)
def test_an_interruption_while_packages_are_imported_is_one_line(name):
    code = AT_IMPORT.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert (done.returncode, done.stderr.splitlines()[-1:], "Traceback" in done.stderr) == (130, ["interrupted"], False)


def test_hardly_anything_is_imported_before_interruptions_are_caught():
    """What is imported before can only end in Python's own traceback; but for these, Python has it when it begins."""
    code = "import signal, sys; before = set(sys.modules); import screwgraph.ui.cli; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert set(done.stdout.split()) <= {"__future__", "screwgraph", "screwgraph.ui", "screwgraph.ui.cli"}


def test_help_waits_for_no_numerics():
    code = "import sys; from screwgraph.ui.cli import run; run(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert "Commands:" in done.stdout
    assert not {"'numpy'", "'screwgraph.model'", "'screwgraph.compiler'"} & set(done.stderr.strip("[]\n").split(", "))


def test_the_package_runs_as_a_module(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["screwgraph", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("screwgraph", run_name="__main__")
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("screwgraph ")
    runpy.run_module("screwgraph.__main__")  # as an import: runs no command
    assert capsys.readouterr().out == ""


def interrupted(seconds: float) -> str:
    """Interrupt a command so many seconds after Python has read the module that catches this; return its errors."""
    code = "import os; from screwgraph.ui.cli import main; os.write(1, b'.'); main()"
    running = subprocess.Popen(
        [sys.executable, "-c", code, "info", "a1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout is not None
    assert running.stdout.read(1) == "."
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    return running.communicate(timeout=30)[1]


@pytest.mark.suite
def test_interruptions_at_random_moments_are_one_line():
    rng, of = random.Random(0), 100
    ends = [interrupted(rng.uniform(0.001, rng.choice([0.05, 0.8]))) for _ in range(of)]
    broken = [errors for errors in ends if errors not in ("interrupted\n", "")]
    record("faults", fault="Ctrl-C while a command begins", of=of, broken=len(broken))
    assert not broken
