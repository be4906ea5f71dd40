"""A platform crosses its frame on four cables that only pull; SciPy's least tensions stand beside those of the code."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import screwgraph as sg

HERE, OUT = Path(__file__).parent, Path("out")
CORNERS = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]])
ENDS = np.array([[-0.2, 0.1], [0.2, 0.1], [0.2, -0.1], [-0.2, -0.1]])


def list_ends(q):
    """Return the ends (4, 2) of the cables on the platform: geometry by hand."""
    c, s = np.cos(q[2]), np.sin(q[2])
    return q[:2] + ENDS @ np.array([[c, s], [-s, c]])


def least_tensions(q, qdd):
    """Return the least tensions between 1 N and 150 N that move the platform, by SLSQP."""
    way = CORNERS - list_ends(q)
    along = way / np.linalg.norm(way, axis=1)[:, None]
    arm = list_ends(q) - q[:2]
    wrench = np.vstack([along.T, arm[:, 0] * along[:, 1] - arm[:, 1] * along[:, 0]])
    needed = np.array([5.0 * qdd[0], 5.0 * (qdd[1] + 9.81), 0.2 * qdd[2]])
    found = minimize(
        lambda t: 0.5 * t @ t,
        np.full(4, 30.0),
        jac=lambda t: t,
        bounds=[(1.0, 150.0)] * 4,
        constraints={"type": "eq", "fun": lambda t: wrench @ t - needed, "jac": lambda t: wrench},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x


def draw(robot, plan):
    """Draw the platform at times, and the tensions."""
    figure, (frame, tensions) = plt.subplots(1, 2, figsize=(9.6, 3.6), width_ratios=(1.4, 1.0))
    for t in np.linspace(0.0, plan.t[-1], 5):
        q = plan.at(t).q
        corners = list_ends(q)[[0, 1, 2, 3, 0]]
        frame.plot(*corners.T, color="black", lw=1.5)
        for end, anchor, pull in zip(list_ends(q), CORNERS, plan.effort(t), strict=True):
            frame.plot(*np.transpose([end, anchor]), color=plt.get_cmap("viridis")(pull / 50.0), lw=1.0)
    frame.plot(*plan.q[:, :2].T, "--", color="tab:red", lw=1.0)
    frame.plot(*CORNERS[[0, 1, 2, 3, 0]].T, color="gray", lw=2.0)
    frame.set(aspect="equal", xlabel="x (m)", ylabel="z (m)", title="every 0.3 s; lighter cables pull more")
    times = np.linspace(0.0, plan.t[-1], 400)
    tensions.plot(times, plan.effort(times), label=[a.name.replace("_", " ") for a in robot.actuators])
    tensions.axhline(1.0, color="gray", ls="--", lw=0.8)
    tensions.set(xlabel="time (s)", ylabel="tension (N)")
    tensions.legend(fontsize=8)
    figure.tight_layout()
    OUT.mkdir(exist_ok=True)
    figure.savefig(OUT / "cable_robot.svg")


def main():
    """Plan, compare, carry out, draw."""
    plan = sg.plan(HERE / "cable_robot_plan.yaml")
    robot, steps = plan.task.robot, plan.transcription.steps
    print(plan.status, f"tensions from {plan.efforts.min():.3f} to {plan.efforts.max():.1f} N")
    values, points = plan.values, steps.points
    q, qd, qdd = values["q"][points], values["qd"][points], values["qdd"]
    tension = sg.inverse_dynamics(robot, actuators=True, effort_limits=True)(q, qd, qdd)
    scipy = np.array([least_tensions(*state) for state in zip(q, qdd, strict=True)])
    print(f"least tensions, code and SLSQP: {np.abs(tension - scipy).max():.1e} N apart")
    print(f"plan and least tensions: {np.abs(values['tau'] - tension).max():.1e} N apart")
    pull = lambda t, q, qd: robot.actuation_torques(q, plan.effort(min(t, plan.t[-1])))  # noqa: E731
    run = sg.simulate(robot, plan.q[0], plan.qd[0], time=float(plan.t[-1]), dt=1e-3, tau=pull)
    print(f"carried out, it ends {1e3 * np.abs(run.q[-1] - plan.q[-1]).max():.2f} mm (mrad) from the goal")
    draw(robot, plan)


if __name__ == "__main__":
    main()
