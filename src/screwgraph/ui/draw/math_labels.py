r"""Labels of variables in mathtext: `$\dot{\mathcal{V}}_{3}$`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from screwgraph.elimination.notation import latex_symbol
from screwgraph.graph import Key, Variable


def make_labels(variables: Iterable[Variable]) -> Mapping[Key, str]:
    """Return a label for each variable; those that would look the same get letters (two wrenches on a link)."""
    alike: dict[tuple[str, int], list[Key]] = defaultdict(list)
    for variable in variables:
        alike[_symbol(variable.key.kind), variable.index].append(variable.key)
    result: dict[Key, str] = {}
    for (letters, index), keys in alike.items():
        for n, key in enumerate(keys):
            letter = rf"\mathrm{{{_letters(n)}}}" if len(keys) > 1 else ""
            result[key] = f"${letters}_{{{index}{letter}}}$"
    return result


def escape_mathtext(text: str) -> str:
    """Return a text, as a name from a file, so that matplotlib takes none of it for mathematics."""
    return text.replace("$", r"\$")


def _symbol(kind: str) -> str:
    # A kind that people made is shown by its first letters, without anything mathtext could trip over.
    return latex_symbol(kind) or rf"\mathrm{{{re.sub(r'[^A-Za-z0-9]', '', kind)[:3] or 'x'}}}"


def _letters(n: int) -> str:
    return (_letters(n // 26 - 1) if n >= 26 else "") + chr(ord("a") + n % 26)
