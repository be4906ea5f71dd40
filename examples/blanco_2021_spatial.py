"""Natural coordinates in space: "no change at all" of the graphs (Blanco-Claraco et al., 2021, introduction).

Run: python examples/blanco_2021_spatial.py. A spatial four-bar linkage (RSSR) and Bricard's linkage, which is mobile
although Gruebler counts no degree of freedom, by points and unit vectors; the same as closed chains of screws. Closed
forms: the input-output equation of the RSSR; cos a + cos b + cos a cos b = 0 of Bricard's dihedral angles (Chen, You &
Tarnai, 2005, with right angles).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from blanco_2021_common import BLUE, RED, figure, save, table

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem

HERE = Path(__file__).resolve().parent
TORQUE, RATE = 2.0, 1.3
RSSR = """
name: rssr
gravity: [0, 0, -9.81]
bodies:
  - {link: crank, joint: theta, axis: z, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  - {link: coupler, parent: crank, joint: ball, type: universal, axis: z, axis2: y, at: [0.4, 0, 0], mass: 1.5,
     com: [0.75, 0, 0], inertia: [0, 0.28125, 0.28125]}
  - {link: rocker, parent: base, joint: phi, axis: x, at: [1, 0.8, 0], mass: 2, com: [0, 0, 0.45],
     inertia: [0.195, 0.195, 0.02]}
loops:
  - {loop: tip, type: spherical, predecessor: {link: coupler, at: [1.5, 0, 0]},
     successor: {link: rocker, at: [0, 0, 0.9]}}
independent: [theta]
"""
BRICARD = """
name: bricard
gravity: [0, -9.81, 0]
bodies:
  - {link: bar1, joint: theta, axis: y, mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}
  - {link: bar2, parent: bar1, joint: j1, axis: z, at: [1, 0, 0], mass: 1, com: [0, -0.5, 0], inertia: [1/12, 0, 1/12]}
  - {link: bar3, parent: bar2, joint: j2, axis: x, at: [0, -1, 0], mass: 1, com: [0, 0, 0.5], inertia: [1/12, 1/12, 0]}
  - {link: bar4, parent: bar3, joint: j3, axis: y, at: [0, 0, 1], mass: 1, com: [-0.5, 0, 0], inertia: [0, 1/12, 1/12]}
  - {link: bar5, parent: bar4, joint: j4, axis: z, at: [-1, 0, 0], mass: 1, com: [0, 0.5, 0], inertia: [1/12, 0, 1/12]}
loops:
  - {loop: last, axis: x, predecessor: {link: bar5, at: [0, 1, 0]}, successor: {link: base, at: [0, 0, 1]}}
independent: [theta]
"""


def main() -> None:
    """Compare both linkages with screws and closed forms; draw the motion of Bricard's."""
    rows = [
        compare("RSSR", sg.load_mechanism("rssr"), sg.load(RSSR), np.linspace(0.1, 6.2, 9), miss_input_output),
        compare(
            "Bricard",
            sg.load_mechanism(HERE / "blanco_2021_bricard.yaml"),
            sg.load(BRICARD),
            np.linspace(0.0, 1.4, 9),
            miss_dihedral,
        ),
    ]
    heads = (
        "",
        "coordinates",
        "rows",
        "that count",
        "degrees of freedom",
        "off: acceleration",
        "closed form",
        "energy (J)",
    )
    table("Natural coordinates in space", heads, rows)
    draw_bricard()


def compare(name, mechanism, robot, angles, miss) -> tuple[str, ...]:
    """Return how far accelerations are from those of screws, angles from closed forms, energies from constant."""
    forward, screws = sg.forward_dynamics(mechanism), sg.forward_dynamics(robot)
    q, p, slot = mechanism.home, robot.neutral(), mechanism.index("theta")
    if name == "RSSR":
        p = robot.close_loops([angles[0], 0.5, -0.5, -0.5], ["theta"])
    off, missed = 0.0, 0.0
    for theta in angles:
        q, p = position_problem(mechanism, {"theta": theta}, q), robot.complete([theta], branch=p)
        qd, v = velocity_problem(mechanism, q, {"theta": RATE}), robot.complete_velocity(p, [RATE])
        ours = forward(q, qd, [TORQUE])[slot]
        off = max(off, abs(ours - screws(p, v, [TORQUE, *[0.0] * (robot.nv - 1)])[0]))
        missed = max(missed, abs(miss(q)))
    run = sg.simulate(mechanism, time=1.0, dt=1e-3)
    sizes = mechanism.n, len(mechanism.closing_program.parts), mechanism.freedom.rank, mechanism.dof
    return name, *map(str, sizes), *(f"{x:.0e}" for x in (off, missed, run.energy_drift))


def miss_input_output(q: np.ndarray) -> float:
    """Return what is left (m^2) of the RSSR's input-output equation; the angles are the last coordinates."""
    a, b, length, e, theta, phi = 0.4, 0.9, 1.5, 0.8, q[-2], q[-1]
    across = e - a * np.sin(theta)
    return (1.0 - a * np.cos(theta)) ** 2 + across**2 + b**2 - 2.0 * across * b * np.sin(phi) - length**2


def miss_dihedral(q: np.ndarray) -> float:
    """Return what is left of the equation of Bricard's dihedral angles."""
    a, b = dihedral_cosines(q)[:2]
    return a + b + a * b


def dihedral_cosines(q: np.ndarray) -> list[float]:
    """Return the cosines of the angles between bars that follow one another."""
    places = np.array([[0.0, 0.0, 0.0], *q[:12].reshape(4, 3), [0.0, 0.0, 1.0]])
    bars = np.roll(places, -1, axis=0) - places
    return [float(bars[i - 1] @ bars[i]) for i in range(6)]


def draw_bricard() -> None:
    """Draw the dihedral angles of Bricard's linkage as it falls, and its energy."""
    run = sg.simulate(sg.load_mechanism(HERE / "blanco_2021_bricard.yaml"), time=5.0, dt=1e-3)
    angles = np.degrees(np.arccos(np.clip([dihedral_cosines(q)[:2] for q in run.q], -1.0, 1.0)))
    picture, ((above,), (below,)) = figure(2, 1, (7.0, 4.6), sharex=True)
    for k, (colour, label) in enumerate(((BLUE, "at P0, P2, P4"), (RED, "at P1, P3, P5"))):
        above.plot(run.t, angles[:, k], color=colour, label=label)
    above.set(ylabel="dihedral angle (deg)")
    above.legend(frameon=False)
    below.plot(run.t, run.energy - run.energy[0], color=BLUE)
    below.set(xlabel="time (s)", ylabel="energy error (J)")
    save(picture, "blanco-2021-spatial-bricard")


if __name__ == "__main__":
    main()
