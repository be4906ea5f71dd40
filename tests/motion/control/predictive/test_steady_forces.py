"""Forces of a robot that stands still do not change from call to call."""

import numpy as np
from tests.motion.control.predictive.test_walking import FEET, a1, control

from screwgraph.motion.control import stack_references, stack_schedule, stack_weights


def test_forces_within_feet_settle():
    """Internal forces cost little, so that barriers of friction count: each call went further back than the last came.

    Multipliers that the small barrier at the end of a call left made Newton's steps with the next call's larger one too
    long: tangent forces changed their signs at each call, by up to 10 N of the 30 N that a foot carries.
    """
    (robot, stand), f = a1(), control()
    given = stack_references(f, stand), stack_weights(robot, force=1e-5), stack_schedule(f, FEET)
    q, previous, forces = stand.copy(), np.zeros(f.arguments[-1].shape), list[np.ndarray]()
    q[7:] += 1e-4 * np.random.default_rng(0).standard_normal(12)
    for k in range(30):
        _, _, _, found, _, previous, _ = f(q, np.zeros(18), *given, float(k > 0), previous)
        forces.append(found[0])
    assert np.abs(np.diff(forces[10:], axis=0)).max() < 0.01
