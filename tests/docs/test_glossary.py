"""Public docstrings have the words of the glossary, and none that it retires."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import pytest

from tests.docs.pages import ROOT
from tests.docs.reference import PACKAGES, modules, names

ROWS = [
    line.split("|")[1:-1] for line in (ROOT / "docs/glossary.md").read_text("utf-8").splitlines() if line[:2] == "| "
]
RETIRED = {word.strip(): row[0].strip() for row in ROWS if len(row) == 3 for word in row[2].split(",") if word.strip()}
RETIRED.pop("not")


def docstrings(package: str) -> Iterator[tuple[str, str]]:
    """Yield what has a docstring in a public package, and the docstring without code."""
    for module in modules(package):
        yield module.__name__, _prose(module)
        for name in names(module):
            found = getattr(module, name)
            if not getattr(found, "__module__", "").startswith("screwgraph."):
                continue
            yield f"{module.__name__}.{name}", _prose(found)
            for key, member in vars(found).items() if inspect.isclass(found) else ():
                if not key.startswith("_") and (callable(member) or hasattr(member, "__get__")):
                    yield f"{module.__name__}.{name}.{key}", _prose(member)


def _prose(found: object) -> str:
    return re.sub(r"`[^`]*`", "", getattr(found, "__doc__", None) or "")


def test_the_glossary_retires_words():
    assert {"remnant", "carriers", "freedoms"} <= RETIRED.keys()


@pytest.mark.parametrize("package", PACKAGES)
def test_public_docstrings_have_no_retired_words(package):
    words = re.compile(rf"\b({'|'.join(map(re.escape, RETIRED))})\b", re.IGNORECASE)
    found = [
        f"{where}: {match[1]!r}, see {RETIRED.get(match[1].lower())!r} in docs/glossary.md"
        for where, text in docstrings(package)
        for match in words.finditer(text)
    ]
    assert found == []
