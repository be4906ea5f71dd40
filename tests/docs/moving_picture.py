"""`python -m tests.docs.moving_picture` films pages in Chromium for the README and the gallery; names: only these."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import screwgraph as sg
from screwgraph.ui import view
from tests.docs.pages import ROOT
from tests.docs.running import run_page
from tests.ui.view.browser import opened

FOLDER = Path("docs/pictures")
HIDDEN = "document.head.insertAdjacentHTML('beforeend', '<style>h1, #legend, #bar {display: none !important}</style>')"


@dataclass(frozen=True)
class Film:
    """What writes a page that moves, the size of its pictures, how many there are in a second of motion, and how much
    slower it is shown."""

    write: Callable[[Path], None]
    size: tuple[int, int]
    rate: int
    slower: int = 1
    colours: int = 48


def trot(path: Path) -> None:
    """Write a planned trot of a quadruped."""
    view.save_html(view.plan_scene(sg.plan("a1_trot")), path)


def four_bar(path: Path) -> None:
    """Write a four-bar linkage under gravity, with the curve of a place on its coupler."""
    run = sg.simulate(sg.load_mechanism("four_bar"), time=2.4, dt=0.01)
    view.save_html(view.trajectory_scene(run, paths=[("coupler", (1.0, 0.5))]), path)


def page(name: str) -> Callable[[Path], None]:
    """Return what writes the page NAME.html that the how-to of this name makes."""

    def write(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run_page(ROOT / "docs" / "howto" / f"{name}.md", Path(folder), long=True)
            shutil.copy(Path(folder, f"{name}.html"), path)

    return write


FILMS = {
    "a1-trot.gif": Film(trot, (640, 360), 40, 2),
    "four_bar.gif": Film(four_bar, (360, 240), 12, 1, 24),
    "humanoid.gif": Film(page("humanoid"), (240, 280), 8, 1, 16),
    "walking_quadruped.gif": Film(page("walking_quadruped"), (300, 200), 8, 1, 16),
    "wiping.gif": Film(page("wiping"), (280, 220), 8, 1, 16),
}


def take(film: Film, path: Path) -> int:
    """Write a film, and return how many pictures it has."""
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "page.html")
        film.write(page_file)
        with opened(page_file, *film.size) as page:
            page.prefer("light")
            page.value(HIDDEN)
            pictures = []
            for t in np.arange(0.0, page.value("screwgraph.duration"), 1.0 / film.rate):
                page.value(f"screwgraph.setTime({t})")
                pictures.append(Image.open(io.BytesIO(page.screenshot())).quantize(film.colours))
    duration = 1000 * film.slower // film.rate
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=True)
    return len(pictures)


def main() -> None:
    """Take all films, or those that are named."""
    for name in sys.argv[1:] or FILMS:
        count = take(FILMS[name], FOLDER / name)
        print(f"{name}: {count} pictures, {(FOLDER / name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
