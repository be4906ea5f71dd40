"""The table of contacts beside MuJoCo."""

import pytest
from benchmarks.themes import contacts


@pytest.mark.parametrize("cone", contacts.CONES)
def test_a_cube_rests_on_a_slope(monkeypatch, cone):
    for name, count in (("SETTLE", 300), ("WARM", 10), ("BATCH", 8)):
        monkeypatch.setattr(contacts, name, count)
    case = next(contacts.cases())
    for row in (contacts.ours(case, steps=5), contacts.theirs(case, cone, steps=5)):
        assert len(row) == len(contacts.COLUMNS) - 1
        assert float(row[-1]) == pytest.approx(1.0, abs=0.01), "the slope carries the weight"
        assert float(row[1]) > 0.0
        assert 0.0 < float(row[3]) < 1e3
    assert float(contacts.ours(case, steps=5)[4]) < 1e-9
    if cone == "elliptic":
        assert 1e-5 < float(contacts.theirs(case, cone, steps=5)[4]) < 0.1
