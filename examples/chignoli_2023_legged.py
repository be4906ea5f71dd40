"""Fig. 12 of Chignoli et al. (2023): instructions of forward dynamics of legged robots with and without rotors.

Run: python examples/chignoli_2023_legged.py [--quick]; the picture goes to `out/`. Tello's file is beside this one, the
other robots' are in `FOLDER`; without them, Tello is alone.
"""

from __future__ import annotations

from pathlib import Path

import chignoli_2023_common as common
import numpy as np
from chignoli_2023_rotors import FOLDER, without_rotors
from matplotlib.patches import Patch

import screwgraph as sg

ROBOTS = {"mini_cheetah": "Mini Cheetah", "mit_humanoid": "MIT Humanoid", "tello": "Tello", "jvrc1_humanoid": "JVRC-1"}
TELLO = Path(__file__).resolve().parent / "chignoli_2023_tello.yaml"
BARS = ("embedding", "tree", "kkt", "auto")
PUBLISHED = {
    "mini_cheetah": {"embedding": 11133, "tree": 7184, "kkt": 20382},
    "mit_humanoid": {"embedding": 21115, "tree": 12273, "kkt": 44591},
    "jvrc1_humanoid": {"embedding": 27534, "tree": 14865, "kkt": 93040},
}
"""Of Tello the paper has bars in its picture only, and the programs were not run here."""

Bars = dict[str, common.ByOrder]


def main() -> None:
    """Count, print the table, draw."""
    asked = common.options(__doc__)
    here = [name for name in ROBOTS if path(name).exists()]
    names = here[:1] if asked.quick else here
    found = common.counts([q for name in names for q in questions(name)], "forward dynamics")
    pairs = zip(found[::2], found[1::2], strict=True)
    bars = {n: {**whole, "tree": tree["auto"]} for n, (whole, tree) in zip(names, pairs, strict=True)}
    report(bars)
    draw(bars)


def questions(name: str) -> tuple[common.Question, common.Question]:
    """Return what is asked of a robot, and of the tree that approximates it."""
    return common.Question(load, (name, False)), common.Question(load, (name, True), ("auto",))


def path(name: str) -> Path:
    """Return where the file of a robot belongs."""
    return TELLO if name == "tello" else FOLDER / f"{name}.urdf"


def load(name: str, approximate: bool) -> sg.Robot:
    """Return a robot on a floating base, or the tree that approximates it."""
    robot = sg.load(path(name), base="floating")
    if not approximate:
        return robot
    links = [joint for joint in robot.joint_names if "rotor" not in joint]
    return without_rotors(robot.with_independent_joints(links), reflected=True)


def report(bars: Bars) -> None:
    """Print our counts, those of the paper's program, and how much the approximate tree saves of either."""
    rows, saved = [], []
    for name, own in bars.items():
        theirs = PUBLISHED.get(name, {})
        numbers = [own[b].instructions for b in BARS]
        parts = [common.ratio(numbers[-1], other) for other in (theirs.get("embedding"), own["tree"].instructions)]
        rows.append((ROBOTS[name], *numbers, own["auto"].order, *(theirs.get(b) for b in BARS[:3]), *parts))
        counts = {b: own[b].instructions for b in ("embedding", "tree")}, theirs
        saved.append(
            (ROBOTS[name], *(f"{100 * (1 - n['tree'] / n['embedding']):.0f} %" if n else None for n in counts))
        )
    heads = ("robot", *BARS, "taken", "theirs: embedding", "tree", "kkt", "auto / theirs", "auto / tree")
    common.table("Instructions of forward dynamics (Chignoli et al., 2023, Fig. 12)", heads, rows)
    common.table("Saved by the tree", ("robot", "ours", "theirs"), saved)
    common.console.print(
        "Theirs: counts of running their program; the paper has bars. Its text says that the tree saves more for the\n"
        "MIT Humanoid and Tello, whose clusters have more bodies. Here a rotor about a fixed axis costs some 40\n"
        "operations, since its inertia is folded into constants, however many share a cluster: what is saved\n"
        "follows the part of rotors in the whole. Tello's differentials turn with q, and save most, as it says.\n",
        highlight=False,
    )


def draw(bars: Bars) -> None:
    """Draw our bars side by side for each robot, the figures of their program as outlines around them."""
    picture, axes = common.figure(1, 1, (9.0, 5.0))
    axis, middle, width = axes[0][0], np.arange(len(bars)), 0.2
    for i, bar in enumerate(BARS):
        at = middle + (i - 1.5) * width
        numbers = [own[bar].instructions for own in bars.values()]
        drawn = axis.bar(at, numbers, 0.9 * width, color=common.COLOURS[bar], label=common.NAMES[bar])
        axis.bar_label(drawn, fontsize=8, padding=1, rotation=90)
        theirs = [(x, PUBLISHED[name][bar]) for x, name in zip(at, bars, strict=True) if bar in PUBLISHED.get(name, {})]
        if theirs:
            axis.bar(*zip(*theirs, strict=True), 0.9 * width, fill=False, edgecolor=common.COLOURS[bar], linewidth=1.2)
    axis.set(ylabel="instructions of forward dynamics", ylim=(1e3, 3e5))
    common.log_ticks(axis)
    axis.set_xticks(middle, [ROBOTS[name] for name in bars])
    axis.grid(visible=False, axis="x")
    outline = Patch(fill=False, edgecolor="#444444", label="outline: their program")
    axis.legend(handles=[*axis.get_legend_handles_labels()[0], outline], loc="upper left", ncols=2, frameon=False)
    common.save(picture, "chignoli-2023-fig12-legged")


if __name__ == "__main__":
    main()
