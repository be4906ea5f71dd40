"""Damaged files end in one line with file and line, or in a model; in time, and not silently in another one."""

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from tests.robots import OWN, closed_chains, robot_file, robot_files
from tests.suites import record

from .forked_mujoco import forked
from .mutations import READERS, meaning, mutated, outcome

SHORT, LONG, CHUNK = 12, 100_000, 500
ZOO, PLAN = (Path(str(files(f"screwgraph.{name}"))) for name in ("model.zoo", "motion.planning"))


def sources() -> list[tuple[str, Path]]:
    """List kinds and files."""
    models = [*OWN.rglob("*.urdf"), *OWN.rglob("*.xml"), *ZOO.glob("*.yaml")]
    models += [robot_file(name) for name in ("double_pendulum.urdf", "panda.urdf", "cassie_simple.sdf")]
    mechanisms, tasks = (ZOO / "mechanisms").glob("*.yaml"), (PLAN / "tasks").glob("*.yaml")
    found = {"model": models, "mechanism": mechanisms, "task": tasks}
    return [(kind, path) for kind, paths in found.items() for path in sorted(paths)]


def more_sources() -> list[tuple[str, Path]]:
    """List those of the long form: files of other people in all formats, too."""
    others = [*robot_files(".xml"), *robot_files(".sdf"), *closed_chains()]
    listed = sources()
    return [*listed, *(("model", path) for path in others if path not in {known for _, known in listed})]


def outcomes(kind: str, path: Path, seeds: range, folder: Path) -> Counter:
    """Count what comes of mutations of a file; bad outcomes by what was done, seed and remark."""
    counted, read = Counter(), READERS[kind]
    copy = folder / f"{path.stem}_{seeds.start}{path.suffix}"
    copy.write_bytes(path.read_bytes())
    with forked():
        sound = meaning(read(copy))
        for seed in seeds:
            data, done = mutated(path, seed)
            found = outcome(read, copy, data, done, sound)
            remark = f"{path.name} {seed} {done}: {found.remark}" if found.is_bad else ""
            counted[kind, found.kind, remark] += 1
    return counted


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("kind", "path"), [pytest.param(k, p, id=f"{k}-{p.name}") for k, p in sources()])
def test_damaged_files_end_well(kind, path, tmp_path):
    found = outcomes(kind, path, range(SHORT), tmp_path)
    assert not [key for key in found if key[2]]


@pytest.mark.suite
def test_many_damaged_files_end_well(tmp_path):
    listed, total = more_sources(), Counter()
    per_file = -(-LONG // len(listed))
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawned) as pool:
        jobs = [
            pool.submit(outcomes, kind, path, range(first, min(first + CHUNK, per_file)), tmp_path)
            for kind, path in listed
            for first in range(0, per_file, CHUNK)
        ]
        for job in jobs:
            total += job.result()
    for kind in READERS:
        row = {k: sum(n for key, n in total.items() if key[:2] == (kind, k)) for k in KINDS}
        record("files", files=kind, of=sum(row.values()), **row)
    assert not [key for key in total if key[2]][:20]


KINDS = ("model", "refused", "traceback", "hangs", "silent change", "bad message", "no place")
