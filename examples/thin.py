"""Pictures as small as a page needs them: drawings with coordinates to a hundredth of a point, and without a date."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
PLACES = re.compile(r'\b(d|x|y)="([^"]*)"')
SHIFTS = re.compile(r"translate\([^)]*\)")
UNSEEN = re.compile(r"\s*<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
PATHS = re.compile(r'\bd="([^"]*)"')
STYLES = re.compile(r'\bstyle="([^"]*)"')
NAMES = re.compile(r' id="([^"]*)"')
SHEET = "</style>"


def keep(picture: Path, target: Path) -> None:
    """Copy a picture, a drawing (.svg) thinned."""
    if picture.suffix == ".svg":
        target.write_text(thin(picture.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        shutil.copy(picture, target)


def thin(svg: str) -> str:
    """Return a drawing that looks the same, in fewer characters. Scales and matrices keep their digits."""
    svg = _with_classes(UNSEEN.sub("", svg))
    used = set(re.findall(r"#([^\"')]+)", svg))
    svg = NAMES.sub(lambda m: m[0] if m[1] in used else "", svg)
    svg = PLACES.sub(lambda m: f'{m[1]}="{" ".join(NUMBER.sub(_rounded, m[2]).split())}"', svg)
    svg = SHIFTS.sub(lambda m: NUMBER.sub(_rounded, m[0]), svg)
    svg = PATHS.sub(lambda m: 'd="' + re.sub(r" ?([A-Za-z]) ?", r"\1", m[1]).replace(" -", "-") + '"', svg)
    return re.sub(r"\n\s+", "\n", svg)


def _with_classes(svg: str) -> str:
    """Return a drawing in which styles that stand more than once are classes."""
    found = Counter(STYLES.findall(svg))
    classes = {style: f"s{i}" for i, (style, times) in enumerate(found.items()) if times > 1}
    if SHEET not in svg or not classes:
        return svg
    svg = STYLES.sub(lambda m: f'class="{classes[m[1]]}"' if m[1] in classes else m[0], svg)
    return svg.replace(SHEET, "".join(f".{name}{{{style}}}" for style, name in classes.items()) + SHEET, 1)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # adding 0 takes the sign of -0
