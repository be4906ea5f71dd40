"""A Panda moves its hand to a pose in a second, with little torque, within all of its limits.

Run: python examples/panda.py; the picture and the animation go to out/.
"""

from __future__ import annotations

from pathlib import Path

import screwgraph as sg
from screwgraph.ui.draw import draw_motion, save
from screwgraph.ui.view import plan_scene, save_html

OUT = Path("out")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    plan = sg.plan("panda")
    print(plan)
    save(draw_motion(plan, ("q", "qd", "tau")), OUT / "panda-plan.svg")
    save_html(plan_scene(plan), OUT / "panda-plan.html")


if __name__ == "__main__":
    main()
