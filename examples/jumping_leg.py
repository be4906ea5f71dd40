"""A leg jumps by one pneumatic muscle over its knee; pressures are planned, torques and momenta checked by hand."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import screwgraph as sg
from screwgraph.motion.planning.contacts import PointContact

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE, OUT = Path(__file__).parent, Path("out")
LINK, ARM, REST, AREA, BRAID, MASS = 0.25, 0.04, 0.25, np.pi * 0.006**2, np.radians(22.0), 3.8


def compute_knee_torque(pressure, knee):
    """Return McKibben's force (Chou and Hannaford, 1996) times the radius of the pulley."""
    part = 1.0 - ARM * (knee + 1.8) / REST
    return ARM * pressure * AREA * (3.0 * part**2 / np.tan(BRAID) ** 2 - 1.0 / np.sin(BRAID) ** 2)


def draw(plan):
    """Draw the leg at times, its pressure and its height."""
    figure, (leg, curves) = plt.subplots(1, 2, figsize=(9.0, 3.4), width_ratios=(1.3, 1.0), layout="constrained")
    for i, t in enumerate(np.linspace(0.0, plan.t[-1], 7)):
        height, hip, knee = plan.at(t).q
        x, z = -LINK * np.sin([hip, hip + knee]), -LINK * np.cos([hip, hip + knee])
        at = 0.25 * i
        leg.plot(at + np.cumsum([0.0, *x]), height + np.cumsum([0.0, *z]), "o-", color=plt.get_cmap("viridis")(i / 7.0))
        leg.annotate(f"{t:.2f} s", (at, height + 0.03), ha="center", fontsize=8)
    leg.axhline(0.0, color="black", lw=0.8)
    leg.set(aspect="equal", ylabel="height (m)", xlabel="side by side", ylim=(-0.03, 0.68))
    times = np.linspace(0.0, plan.t[-1], 400)
    curves.plot(times, plan.effort(times)[:, 0] / 1e5, color="tab:red")
    curves.axhline(5.0, color="gray", ls="--", lw=0.8)
    curves.set(xlabel="time (s)", ylabel="pressure (bar)")
    other = curves.twinx()
    other.plot(times, plan.at(times).q[:, 0], color="tab:blue")
    other.set_ylabel("height of the trunk (m), blue")
    OUT.mkdir(exist_ok=True)
    figure.savefig(OUT / "jumping_leg.svg")


def main():
    """Plan, check, draw."""
    plan = sg.plan(HERE / "jumping_leg.yaml")
    steps, values = plan.transcription.steps, plan.values
    pressure, knee = values["tau"][:, 0], values["q"][steps.points, 2]
    print(plan.status, f"pressure up to {1e-5 * pressure.max():.2f} bar, height {plan.q[-1, 0]:.3f} m")
    torque = steps.drive.torques(values["q"][steps.points], values["tau"])[:, 2]
    apart = np.abs(torque - compute_knee_torque(pressure, knee)).max()
    print(f"torques of the knee, code and by hand: {apart:.0e} N m apart")
    (contact,) = plan.task.contacts
    assert isinstance(contact, PointContact)  # the task file has one, its foot
    (wrench,) = contact.wrenches(steps, "contact 1")
    pushed = 0.25 * steps.weights[wrench.samples] @ values["contact 1 force"][:, 2] - MASS * 9.81 * plan.t[-1]
    gained = np.diff(sg.centroidal_momentum(plan.task.robot)(plan.q[[0, -1]], plan.qd[[0, -1]])[:, 5])[0]
    print(f"impulse of the ground less weight {pushed:.3f} N s, momentum gained {gained:.3f} N s")
    draw(plan)


if __name__ == "__main__":
    main()
