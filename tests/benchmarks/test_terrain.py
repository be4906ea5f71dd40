"""The table of many robots on random terrain."""

import pytest
from benchmarks.bench import Tools
from benchmarks.subjects import SUBJECTS
from benchmarks.themes import terrain

from screwgraph.ui.bench import Budget


@pytest.mark.suite
@pytest.mark.parametrize("ground", terrain.TERRAINS, ids=str)
def test_robots_land_on_terrain(monkeypatch, ground):
    robot = next((subject.load() for subject in SUBJECTS if subject.name == "a1"), None)
    if robot is None:
        pytest.skip("an A1's file is not here")
    for name, value in (("MOTIONS", 16), ("DURATION", 0.2), ("ROUNDS", 1)):
        monkeypatch.setattr(terrain, name, value)
    _, motions = terrain.measure_rollouts(robot, terrain.make_scene(robot, ground), "float64")
    assert (motions.diverged < 0).all()
    assert motions.residual.max() < 1e-9
    assert 0.3 < motions.forces[:, -5:, :, 2].sum(axis=-1).mean() / (9.81 * robot.mass) < 3.0
    cells = dict(
        zip(terrain.COLUMNS, terrain.row(robot, ground, Tools(Budget(), None, lambda line: None)), strict=True)
    )
    assert float(cells["double: steps/s"]) > 0.0
    assert cells["lost"] == "0"
