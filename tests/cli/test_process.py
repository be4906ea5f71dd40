"""The command as a process of its own: streams, encodings, interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

START = (sys.executable, "-c", "from screwgraph.cli import main; main()")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}


def process(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, **options}
    return subprocess.run([*START, *arguments], text=True, timeout=60, **options)


def test_the_exit_status_is_that_of_the_process():
    assert process("--version").returncode == 0
    assert process("info", "no.urdf").returncode == 1
    assert process("inof").returncode == 2


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
from screwgraph.cli import main
main(["info", "rr"])
"""


@pytest.mark.parametrize("name", ["screwgraph.cli.app", "numpy", "screwgraph.formats", "screwgraph.robot"])
def test_an_interruption_while_packages_are_imported_is_one_line(name):
    code = AT_IMPORT.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert (done.returncode, done.stderr.splitlines()[-1:], "Traceback" in done.stderr) == (130, ["interrupted"], False)
