"""Random tasks of many robots beside IPOPT: what it solves is solved, and what is called solved is a motion."""

import os
import shutil
from dataclasses import asdict

import numpy as np
import pytest

from screwgraph.motion.planning import Planner
from screwgraph.motion.planning.task import GROUPS
from tests.suites import FOLDER, record

from .collection.kinds import KINDS
from .collection.verdicts import compared

SHORT = {("effort and velocity limits", "rr"), ("closed chains", "four_bar_linkage")}
COMPILED = shutil.which("cc") is not None and bool(os.environ.get(FOLDER))
"""Functions of IPOPT are compiled where a table is made, and there is a compiler."""
CASES = [
    pytest.param(kind, name, marks=() if (kind, name) in SHORT else pytest.mark.suite)
    for kind, made in KINDS.items()
    for name in made.robots
]


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.suite
def test_what_ipopt_solves_is_solved(kind, name):
    """The code of the first task is that of all."""
    made, found, planner = KINDS[kind], [], None
    robot = made.robot(name)
    for seed in range(made.tasks):
        task = made.draw(robot, np.random.default_rng(seed))
        if planner is None:
            planner = Planner(task)
        planner.change(**{group: getattr(task, group) for group in ("start", *GROUPS)})
        verdict = compared(planner, compiled=COMPILED and name in made.sampled and seed == 0)
        record("plan", kind=kind, robot=name, seed=seed, **asdict(verdict))
        found.append((seed, verdict, task.accuracy))
    missed = [(seed, v) for seed, v, _ in found if v.ipopt == "solved" and v.ours != "solved"]
    assert not missed
    assert not [(seed, v) for seed, v, accuracy in found if v.error > accuracy]
