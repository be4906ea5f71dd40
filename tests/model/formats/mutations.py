"""Seeded damage to model, mechanism and task files, and what must come of it: an error with its place, or a model."""

from __future__ import annotations

import pickle
import re
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any

import screwgraph as sg
from screwgraph.base.errors import ScrewgraphError
from screwgraph.motion.planning import read_task

SECONDS = 10
"""A file that takes longer hangs: seconds of the processor, as other programs run beside tests."""
LONGEST = 400
"""Characters of a message beyond which it is no line that somebody reads."""
ODD = (
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1",
    "0",
    "1e-320",
    "text",
    "",
    "1,5",
    "0x10",
    "true",
    "[]",
    "${x}",
    "1 2",
    "9" * 400,
)
NOISE = b"\x00\xff\xfe\x80\x0d\x1b<>&\"'{}[]:*!%@`\t"
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w.])")
XML_NAME = re.compile(r"(?<=</)\w+|(?<=<)\w+|\b\w+(?==\")")
YAML_KEY = re.compile(r"\b[A-Za-z_]\w+(?=:)")


def spelt_wrong(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text in which a tag, attribute or key has lost, doubled or swapped a letter, or changed its case."""
    found = [m for m in (XML_NAME if is_xml else YAML_KEY).finditer(text) if len(m[0]) > 2]
    if not found:
        return text
    m = rng.choice(found)
    word, i = m[0], rng.randrange(1, len(m[0]) - 1)
    wrong = rng.choice(
        [word[:i] + word[i + 1 :], word[:i] + word[i] + word[i:], word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
         word.capitalize()]
    )  # fmt: skip
    replaced = f"{text[: m.start()]}{wrong}{text[m.end() :]}"
    if is_xml and text[m.start() - 1] == "<":  # the end tag, too, so that the XML stays well formed
        end = re.compile(rf"</{word}>").search(replaced, m.start())
        own = replaced[m.start() : end.start() if end else len(replaced)]
        if end and "/>" not in own.split(">")[0] + ">":
            replaced = f"{replaced[: end.start()]}</{wrong}>{replaced[end.end() :]}"
    return replaced


def odd_number(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text one of whose numbers is another, or none."""
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    m = rng.choice(found)
    return text[: m.start()] + rng.choice(ODD) + text[m.end() :]


def lines(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text with a line deleted, doubled, moved, or indented otherwise."""
    rows = text.split("\n")
    i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
    kind = rng.randrange(4)
    if kind == 0:
        del rows[i]
    elif kind == 1:
        rows.insert(j, rows[i])
    elif kind == 2:
        rows[i], rows[j] = rows[j], rows[i]
    else:
        rows[i] = rng.choice(["", " ", "    ", "\t", "- "]) + rows[i].lstrip()
    return "\n".join(rows)


def without_attribute(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text without an attribute, or a key."""
    found = list((re.compile(r'\s\w+="[^"]*"') if is_xml else re.compile(r"\w+: [^,{}\n\[\]]+,? ?")).finditer(text))
    if not found:
        return text
    m = rng.choice(found)
    return text[: m.start()] + text[m.end() :]


def truncated(text: str, rng: Random, is_xml: bool) -> str:
    """Return the beginning of a text."""
    return text[: rng.randrange(len(text))]


def nested(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text with something very deep in it."""
    depth, i = 10 ** rng.randrange(1, 5), rng.randrange(len(text))
    deep = "<link>" * depth + "</link>" * depth if is_xml else "[" * depth + "]" * depth
    return text[:i] + deep + text[i:]


def references(text: str, rng: Random, is_xml: bool) -> str:
    """Return a text with entities, anchors or tags of types."""
    if is_xml:
        kinds = ('<!DOCTYPE a [<!ENTITY b "c">]>\n', "<!-- ", "<![CDATA[", "&b;", "<?xml version='1.1'?>")
        i = rng.choice([0, rng.randrange(len(text))])
        return text[:i] + rng.choice(kinds) + text[i:]
    if rng.randrange(3) == 0:
        laughs = "\n".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9) if k else '1'}]" for k in range(9))
        return f"{laughs}\n{text}"
    m = rng.choice(list(YAML_KEY.finditer(text)) or [re.match("", text)])
    kind = rng.choice([" &a", " *a", " !!python/object:os.system", " !!binary", " <<: *a", " !!float", " ? ", " |"])
    return text[: m.end() + 1] + kind + text[m.end() + 1 :] if m else text


MUTATIONS: dict[str, Callable[[str, Random, bool], str]] = {
    f.__name__: f for f in (spelt_wrong, odd_number, lines, without_attribute, truncated, nested, references)
}


@dataclass(frozen=True)
class Outcome:
    """What came of a file: "model", "refused", or what must not happen, with a remark."""

    kind: str
    remark: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether this must not happen."""
        return self.kind not in ("model", "refused")


class _TooLongError(BaseException):
    pass


def mutated(path: Path, seed: int) -> tuple[bytes, str]:
    """Return the damaged content of a file, and what was done to it."""
    rng, is_xml = Random(f"{path.name} {seed}"), path.suffix != ".yaml"
    text, names = path.read_text(encoding="utf-8"), []
    if rng.randrange(12) == 0:
        data = bytearray(text.encode())
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.choice(NOISE)
        return bytes(data), "noise"
    for _ in range(1 if rng.randrange(3) else 2):
        name = rng.choice(list(MUTATIONS))
        text, names = MUTATIONS[name](text, rng, is_xml) or " ", [*names, name]
    return text.encode("utf-8", "replace"), " ".join(names)


def outcome(
    read: Callable[[Path], Any], path: Path, data: bytes, done: str, sound: tuple[bytes, frozenset[str]]
) -> Outcome:
    """Read a damaged file and judge what comes of it; `sound` is what the undamaged one means, and its remarks."""

    def too_long(*_: Any) -> None:
        raise _TooLongError

    path.write_bytes(data)
    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        model = read(path)
    except ScrewgraphError as error:
        return _judged(str(error), path)
    except _TooLongError:
        return Outcome("hangs", f"{SECONDS} s")
    except RecursionError:
        return Outcome("traceback", "RecursionError")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome("traceback", f"{type(error).__name__}: {str(error)[:100]} at {where.filename}:{where.lineno}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if done == "spelt_wrong" and (found := meaning(model))[0] != sound[0] and found[1] <= sound[1]:
        return Outcome("silent change", "a word was misspelt")
    return Outcome("model")


def _judged(message: str, path: Path) -> Outcome:
    if "\n" in message or not message or len(message) > LONGEST + len(str(path)):
        return Outcome("bad message", message[:200])
    if not re.search(rf"{re.escape(path.name)}\b", message):
        return Outcome("no place", message[:200])
    return Outcome("refused")


def meaning(model: Any) -> tuple[bytes, frozenset[str]]:
    """Return all of a model but its pictures, to be compared, and its remarks without file and line."""
    remarks = getattr(model, "warnings", ())
    return pickle.dumps(_plain(model)), frozenset(re.sub(r"^.*?:\d+: ", "", remark) for remark in remarks)


def _plain(value: Any) -> Any:
    if isinstance(value, sg.Robot | type) or not is_dataclass(value):
        if isinstance(value, tuple | list):
            return [_plain(v) for v in value]
        if not isinstance(value, sg.Robot):
            return value.tobytes() if hasattr(value, "tobytes") else repr(value)
    left_out = ("visuals", "warnings", "places", "source")
    return [(f.name, _plain(getattr(value, f.name))) for f in fields(value) if f.name not in left_out]


def read_model(path: Path) -> Any:
    """Read a robot."""
    return sg.load(path)


READERS: dict[str, Callable[[Path], Any]] = {
    "model": read_model,
    "mechanism": sg.load_mechanism,
    "task": read_task,
}
