"""Processes killed at random moments leave a whole cache, outputs that are whole or absent, and disturb no other."""

import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.compiler.caches import entries, is_whole, printed, start
from tests.suites import in_suites, record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are not killed like that there")

BEGUN = "import sys; import screwgraph as sg; print('begun', flush=True)\n"
JOBS = {
    "compile": "sg.forward_dynamics(sg.load('puma560'))",
    "simulate": "sg.simulate(sg.load('rr'), time=0.5).save(OUT / 'run.npz')",
    "plan": "from screwgraph.motion.planning import save_plan; save_plan(sg.plan('cp2'), OUT / 'plan.npz')",
    "estimate": (
        "t = np.linspace(0, 1, 21); sensors = [{'sensor': 'a', 'joint_position': 'joint1', 'sigma': 0.01}]\n"
        "sg.estimate(sg.load('rr'), {'t': t, 'a': t**2}, sensors=sensors, inputs=['joint1'])"
    ),
}
"""Programs that compile, work for a second or so, and two of which write files."""


def job(name: str, out: Path) -> str:
    """Return a program that says when it begins and when it is done."""
    setting = f"import numpy as np; from pathlib import Path; OUT = Path({str(out)!r}); OUT.mkdir(exist_ok=True)\n"
    return f"{BEGUN}{setting}{JOBS[name]}\nprint('done')\n"


def killed_at_random(name: str, times: int, tmp_path: Path, seed: int = 0) -> int:
    """Kill a job so often, at moments of its usual duration; return how often it had not come to its end."""
    rng, cache, out = random.Random(seed), tmp_path / "cache", tmp_path / "out"
    began = time.monotonic()
    assert printed(start(job(name, out), tmp_path / "other")).split() == ["begun", "done"]
    usual, early = time.monotonic() - began, 0
    for _ in range(times):
        process = start(job(name, out), cache)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(rng.uniform(0.0, 0.7 * usual))
        process.send_signal(signal.SIGKILL)
        early += "done" not in process.communicate(timeout=60)[0]
        if cache.exists():
            assert all(is_whole(entry) for entry in entries(cache))
        for file in out.glob("*.npz"):
            np.load(file).files  # noqa: B018
        if rng.random() < 0.3:
            for entry in entries(cache) if cache.exists() else ():
                entry.unlink()
    assert printed(start(job(name, out), cache)).split() == ["begun", "done"]
    return early


@pytest.mark.parametrize("name", ["compile", in_suites("plan")])
def test_killed_processes_leave_nothing_broken(name, tmp_path):
    killed_at_random(name, 2, tmp_path)


@pytest.mark.suite
@pytest.mark.parametrize("name", JOBS)
def test_processes_killed_a_hundred_times_leave_nothing_broken(name, tmp_path):
    early = killed_at_random(name, 100, tmp_path, seed=1)
    record("faults", fault=f"kill -9 during {name}", of=100, **{"before its end": early, "broken": 0})
