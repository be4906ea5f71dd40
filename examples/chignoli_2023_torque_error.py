"""Fig. 13 of Chignoli et al. (2023): errors of a leg's torques when rotors and belt are left out or reflected.

Run: python examples/chignoli_2023_torque_error.py [--quick]; the picture goes to `out/`. The leg of the MIT Humanoid,
where its file is here, or else the built-in one of that kind. The paper does not print its motion; ours: each joint
swings by 0.6 rad about zero, at 1.0, 1.2, 1.4 ... Hz from the hip outwards, two seconds in steps of 1 ms.
"""

from __future__ import annotations

import numpy as np
from chignoli_2023_common import COLOURS, figure, options, save, table
from chignoli_2023_rotors import FOLDER, without_rotors

import screwgraph as sg

AMPLITUDE = 0.6
LENGTH, STEP = 2.0, 1e-3
FREQUENCY, FASTER = 1.0, 0.2
MODELS = {
    "rotors and belt": ("#009E73", "-"),
    "no rotors": ("#D55E00", "--"),
    "rotors reflected": (COLOURS["embedding"], "-."),
}


def main() -> None:
    """Compute the torques of the three models over the motion, print how they differ, draw the ankle's."""
    asked = options(__doc__)
    path = FOLDER / "mit_humanoid_leg.urdf"
    leg = sg.load(path if path.exists() else "belt_leg")
    t = np.arange(0.0, LENGTH / (10 if asked.quick else 1), STEP)
    efforts = torques(leg, t)
    report(leg, efforts)
    draw(leg, t, efforts)


def torques(leg: sg.Robot, t: np.ndarray) -> dict[str, np.ndarray]:
    """Return the efforts (N, n) at the independent joints that the motion needs, by model."""
    y, yd, ydd = motion(len(leg.independent_joints), t)
    # Gears and belts are linear: positions and their rates obey the same G, and nothing is added to accelerations.
    G = np.array([leg.complete_velocity(leg.neutral(), e) for e in np.eye(len(leg.independent_joints))]).T
    places = [leg.v_slices[name].start for name in leg.independent_joints]
    exact = sg.inverse_dynamics(leg)(y @ G.T, yd @ G.T, ydd @ G.T)[:, places]
    trees = {"no rotors": without_rotors(leg, False), "rotors reflected": without_rotors(leg, True)}
    return {"rotors and belt": exact, **{name: sg.inverse_dynamics(tree)(y, yd, ydd) for name, tree in trees.items()}}


def motion(joints: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities, accelerations (N, joints) of joints that swing, the outer ones faster."""
    w = 2.0 * np.pi * (FREQUENCY + FASTER * np.arange(joints))
    angle = t[:, np.newaxis] * w
    return AMPLITUDE * np.sin(angle), AMPLITUDE * w * np.cos(angle), -AMPLITUDE * w**2 * np.sin(angle)


def rms(values: np.ndarray) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def report(leg: sg.Robot, efforts: dict[str, np.ndarray]) -> None:
    """Print the errors of each joint's torque."""
    exact, rows = efforts["rotors and belt"], []
    for i, joint in enumerate(leg.independent_joints):
        largest = np.abs(exact[:, i]).max()
        errors = [rms(efforts[name][:, i] - exact[:, i]) for name in list(MODELS)[1:]]
        rows.append((joint, f"{largest:.2f}", *(f"{e:.3f} ({e / largest:.1%})" for e in errors)))
    heads = ("joint", "largest torque, N m", *(f"{name}: RMS error, N m" for name in list(MODELS)[1:]))
    table(
        f"Torques of {leg.name} (Chignoli et al., 2023, Fig. 13); errors also as parts of the largest torque",
        heads,
        rows,
    )


def draw(leg: sg.Robot, t: np.ndarray, efforts: dict[str, np.ndarray]) -> None:
    """Draw the torque of the outermost joint, and the errors of both trees."""
    picture, axes = figure(2, 1, (9.0, 6.5), sharex=True)
    (above,), (below,) = axes
    exact = efforts["rotors and belt"][:, -1]
    for name, (colour, line) in MODELS.items():
        look = {"color": colour, "linestyle": line, "linewidth": 1.5, "label": name}
        above.plot(t, efforts[name][:, -1], **look)
        below.plot(t, efforts[name][:, -1] - exact, **look) if name != "rotors and belt" else None
    above.set(ylabel="torque (N m)", title=f"{leg.name}: joint {leg.independent_joints[-1]}")
    below.set(ylabel="error (N m)", xlabel="time (s)")
    above.legend(loc="lower center", bbox_to_anchor=(0.5, 1.08), ncols=3, frameon=False)
    save(picture, "chignoli-2023-fig13-torque-error")


if __name__ == "__main__":
    main()
