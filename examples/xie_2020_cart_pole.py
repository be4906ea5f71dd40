"""A cart-pole meets two timed goals: Xie et al. (2020), VII-A, Fig. 6.

Run: python examples/xie_2020_cart_pole.py; pictures and animations go to out/.
"""

from __future__ import annotations

from pathlib import Path

import screwgraph as sg
from screwgraph.motion.planning import read_task
from screwgraph.ui.draw import draw_motion, save
from screwgraph.ui.view import plan_scene, save_html

OUT = Path("out")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    for name in ("cp2", "cp2lim12"):
        planner = sg.Planner(read_task(name))
        planner.solve()  # makes code
        plan = planner.solve()
        print(
            f"{name}: {plan.status}, J = {plan.cost:.3f}, violation {plan.violation:.1e}, "
            f"{plan.iterations} iterations in {1e3 * plan.seconds:.1f} ms"
        )
        for k in (100, 200):
            x, theta = plan.q[k]
            print(
                f"  t = {plan.t[k]:g} s: x = {x:.6f} m, theta = {theta:.6f} rad, at rest to {abs(plan.qd[k]).max():.1e}"
            )
        save(draw_motion(plan, ("q", "qd", "tau")), OUT / f"xie-2020-{name}.svg")
        save_html(plan_scene(plan), OUT / f"xie-2020-{name}.html")


if __name__ == "__main__":
    main()
