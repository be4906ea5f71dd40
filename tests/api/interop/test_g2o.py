"""Pose graphs are read and written without loss; bad files are refused with the line."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop import read_g2o, write_g2o
from screwgraph.api.interop.pose_graph import Between, Prior
from screwgraph.base.errors import InputError, ModelError
from screwgraph.optimize import Huber, Problem, Variables, Vector, each, equality, soft, solve
from screwgraph.spatial.manifolds import SE2, SE3

PLANE = """VERTEX_SE2 3 0 0 0
VERTEX_SE2 7 1.1 0.1 0.2  # a remark
FIX 3
EDGE_SE2 3 7 1 0 0 4 0 0 4 0 9
"""


def graph(manifold, count=5):
    rng = np.random.default_rng(1)
    n, x = manifold.dim, Variables("p", manifold, count)
    A = rng.normal(size=(count - 1, n, n))
    z = np.array([manifold.random(rng) for _ in range(count - 1)])
    factors = [
        soft(Between(manifold), x[:-1], x[1:], z=each(z), sqrt_information=each(A + 3.0 * np.eye(n))),
        soft(Between(manifold), x[0], x[3], z=z[0], sigma=np.arange(1.0, n + 1.0)),
        soft(Between(manifold), x[1], x[4], z=z[1], sigma=0.5),
        soft(Between(manifold), x[1], x[3], z=z[2]),
    ]
    start = {"p": np.array([manifold.random(rng) for _ in range(count)])}
    return Problem([*factors, equality(Prior(manifold), x[0], z=start["p"][0], name="fixed")]), start


def cost_of(problem, values):
    return problem.assembly.cost(problem.start(values))


@pytest.mark.parametrize("manifold", [SE2(), SE3()])
def test_what_is_written_is_read_with_the_same_cost(manifold, tmp_path):
    problem, start = graph(manifold)
    write_g2o(tmp_path / "a.g2o", problem, start)
    found = read_g2o(tmp_path / "a.g2o")
    assert cost_of(found.problem, found.start) == pytest.approx(cost_of(problem, start), rel=1e-12)
    assert len(found.problem["fixed"]) == 1
    write_g2o(tmp_path / "b.g2o", found.problem, found.start, found.keys)
    again = read_g2o(tmp_path / "b.g2o")
    assert cost_of(again.problem, again.start) == pytest.approx(cost_of(problem, start), rel=1e-12)


@pytest.mark.parametrize("manifold", [SE2(), SE3()])
@pytest.mark.extra
def test_gtsam_reads_the_same_cost(manifold, tmp_path):
    gtsam = pytest.importorskip("gtsam")
    problem, start = graph(manifold)
    write_g2o(tmp_path / "a.g2o", problem, start)
    theirs, values = gtsam.readG2o(str(tmp_path / "a.g2o"), manifold.dim == 6)
    assert theirs.error(values) == pytest.approx(cost_of(problem, start), rel=1e-12)


@pytest.mark.parametrize("name", ["pose2example.txt", "pose3example.txt", "pose3example-offdiagonal.txt"])
@pytest.mark.extra
def test_files_of_gtsam_cost_what_they_do_there(name):
    gtsam = pytest.importorskip("gtsam")
    file = gtsam.findExampleDataFile(name)
    found, (theirs, values) = read_g2o(file), gtsam.readG2o(file, "3" in name)
    assert cost_of(found.problem, found.start) == pytest.approx(theirs.error(values), rel=1e-12)


def test_a_file_by_hand(tmp_path):
    (tmp_path / "a.g2o").write_text(PLANE)
    found = read_g2o(str(tmp_path / "a.g2o"))
    assert found.keys == {"pose2": (3, 7)}
    solved = solve(found.problem, found.start)
    assert np.abs(solved.values["pose2"] - [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).max() < 1e-9
    v = 0.1 * 0.1 / np.tan(0.1)  # logarithm of a turn of 0.2 rad that begins at (0.1, 0.1): V^-1 p
    expected = np.array([v + 0.01, v - 0.01, 0.2])
    assert cost_of(found.problem, found.start) == pytest.approx(0.5 * np.sum([4.0, 4.0, 9.0] * expected**2), rel=1e-12)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("VERTEX_XY 1 0 0", r"a\.g2o:5: the line begins with 'VERTEX_XY'"),
        ("EDGE_SE2 3 9 1 0 0 4 0 0 4 0 9", r"a\.g2o:5: there is no vertex 9"),
        ("EDGE_SE2 3 7 1 0 0", r"a\.g2o:5: EDGE_SE2 with 5 numbers: it needs 11"),
        ("EDGE_SE2 3 7 1 0 0 4 0 0 4 0 -9", r"a\.g2o:5: the information is not positive definite"),
        ("EDGE_SE2 3 7 1 0 nan 4 0 0 4 0 9", r"a\.g2o:5: a pose is 'nan'"),
        ("FIX 12", r"a\.g2o:5: there is no vertex 12"),
        ("VERTEX_SE2 -1 0 0 0", r"a\.g2o:5: the number of a vertex is '-1'"),
        ("VERTEX_SE2 7 1 0 0", r"a\.g2o:5: vertex 7 stands in the file twice"),
        ("EDGE_SE2 7 7 0 0 0 4 0 0 4 0 9", r"a\.g2o:5: the edge leads from vertex 7 to itself"),
        ("EDGE_SE2 3 7 1e16 0 0 4 0 0 4 0 9", r"a\.g2o:5: a pose is '1e16': numbers of pose graphs are at most 1e\+15"),
        ("EDGE_SE2 3 7 1 0 0 4e99 0 0 4 0 9", r"a\.g2o:5: the information is '4e99': .* at most 1e\+30"),
        ("EDGE_SE2 3 7 1 0 0 4e300 0 0 4 0 9", r"a\.g2o:5: the information is '4e300'"),
        ("VERTEX_SE2 8 1e400 0 0", r"a\.g2o:5: a pose is '1e400'"),
        (f"VERTEX_SE2 {'9' * 5000} 1 0 0", r"a\.g2o:5: the number of a vertex is .* at most 18 digits"),
        ("VERTEX_SE2 \u00b2 1 0 0", r"a\.g2o:5: the number of a vertex is"),
        ("VERTEX_SE3:QUAT 1 0 0 0 0 0 0 0", r"a\.g2o:5: .*quaternion is zero"),
    ],
)
def test_bad_lines_are_named(line, message, tmp_path):
    (tmp_path / "a.g2o").write_text(PLANE + line + "\n")
    with pytest.raises(ModelError, match=message):
        read_g2o(tmp_path / "a.g2o")


def test_a_file_without_edges_is_refused(tmp_path):
    (tmp_path / "a.g2o").write_text("VERTEX_SE2 3 0 0 0\n")
    with pytest.raises(ModelError, match="no edges"):
        read_g2o(tmp_path / "a.g2o")


def test_what_files_cannot_say_is_refused(tmp_path):
    x = Variables("x", SE2(), 2)
    loss = soft(Between(SE2()), x[0], x[1], z=np.zeros(3), loss=Huber())
    with pytest.raises(InputError, match="no such factor"):
        write_g2o(tmp_path / "a.g2o", Problem([loss]), {})
    y = Variables("y", Vector(2), 2)
    with pytest.raises(InputError, match="no vertices"):
        write_g2o(tmp_path / "a.g2o", Problem([soft(Between(Vector(2)), y[0], y[1], z=np.zeros(2))]), {})
    plain = Problem([soft(Between(SE2()), x[0], x[1], z=np.zeros(3))])
    with pytest.raises(InputError, match="cannot be written"):
        write_g2o(tmp_path / "none" / "a.g2o", plain, {})
