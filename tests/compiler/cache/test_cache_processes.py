"""Many processes use one cache: none compiles what another did, none sees what another left half done."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from tests.compiler.caches import ANSWER, NOTHING_IS_MADE, entries, is_whole, printed, start
from tests.suites import in_suites

KILLED_HALFWAY = """
import os, signal
real = os.fdopen
def half(descriptor, mode):
    if mode == "rb":
        return real(descriptor, mode)
    class File:
        def __enter__(self):
            return self
        def __exit__(self, *_):
            pass
        def write(self, data):
            os.write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
    return File()
os.fdopen = half
"""
KILLED_BEFORE_THE_END = """
import os, signal
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are not killed like that there")


def test_a_second_process_makes_nothing_and_answers_the_same_bit_for_bit(tmp_path):
    first = printed(start(ANSWER, tmp_path))
    kept = {entry: (entry.stat().st_ino, entry.read_bytes()) for entry in entries(tmp_path)}
    assert {entry.suffix for entry in kept} == {".program", ".object"}
    assert printed(start(NOTHING_IS_MADE + ANSWER, tmp_path)) == first
    assert {entry: (entry.stat().st_ino, entry.read_bytes()) for entry in entries(tmp_path)} == kept


def test_processes_that_compile_the_same_robot_at_once_do_not_disturb_each_other(tmp_path):
    folder = tmp_path / "not" / "yet" / "there"
    answers = [printed(process) for process in [start(ANSWER, folder) for _ in range(4)]]
    assert len(set(answers)) == 1
    assert len(entries(folder)) == len(list(folder.iterdir())) == 2
    assert all(is_whole(entry) for entry in entries(folder))
    assert printed(start(NOTHING_IS_MADE + ANSWER, folder)) == answers[0]


def test_a_cache_that_cannot_be_used_is_told_once(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    process = start(3 * ANSWER, file)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert err.count("RuntimeWarning") == 1


@posix
@pytest.mark.parametrize("death", [KILLED_HALFWAY, in_suites(KILLED_BEFORE_THE_END)])
@pytest.mark.suite
def test_a_process_killed_while_it_writes_leaves_nothing_that_is_believed(tmp_path, death):
    killed = start(death + ANSWER, tmp_path)
    killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL
    (draft,) = tmp_path.iterdir()
    assert draft.name.endswith(".draft")
    assert entries(tmp_path) == []
    answer = printed(start(ANSWER, tmp_path))
    assert draft.exists(), "its process might still be alive"
    assert printed(start(NOTHING_IS_MADE + ANSWER, tmp_path)) == answer
    an_hour_ago = time.time() - 3700
    os.utime(draft, (an_hour_ago, an_hour_ago))
    entries(tmp_path)[0].unlink()
    printed(start(ANSWER, tmp_path))
    assert not draft.exists()
    assert len(list(tmp_path.iterdir())) == 2
