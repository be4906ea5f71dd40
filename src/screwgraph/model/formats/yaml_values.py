"""YAML as a tree of values that know their line; numbers may be expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, quote_text, suggest_name
from screwgraph.model.formats.expressions import evaluate
from screwgraph.model.formats.yaml_keys import REQUIRED, Keys

SWITCHES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
LARGEST_YAML = 1_000_000
"""Bytes; PyYAML without LibYAML reads about that much in ten seconds."""

_MOST_VALUES, _DEEPEST = 50_000, 12
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "timestamp", "null", "merge", "value")
)
_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True)
class Value:
    """A value and where it stands: text, None (left empty), a tuple of values, or a mapping of them.

    `what` is how messages call it.
    """

    content: Any
    at: Place
    what: str = "the file"

    def section(self, known: Keys, who: str = "") -> dict[str, Value]:
        """Return the entries of a mapping, all of them known keys, called `who: key` in messages. Raises ModelError.

        "center" and "centre" are one key.
        """
        who = who or self.what
        entries = self.called(who).mapping()
        british = {key: key.replace("center", "centre") for key in entries}
        if len(set(british.values())) == len(entries):
            entries = {british[key] if british[key] in known else key: value for key, value in entries.items()}
        for key, value in entries.items():
            if key not in known:
                raise ModelError(
                    f"{who}: there is no key {quote_text(key)}",
                    at=value.at,
                    fix=suggest_name(key, known, "the keys are"),
                )
        return {key: value.called(f"{who}: {key}") for key, value in entries.items()}

    def whole_section(self, known: Keys, who: str) -> dict[str, Value]:
        """Return the entries of a mapping as `section` does, none missing that is required. Raises ModelError."""
        entries = self.section(known, who)
        self.check_required(known, who)
        return entries

    def check_required(self, keys: Keys, who: str) -> None:
        """Raise ModelError where a mapping has not all keys that are required."""
        for key, entry in keys.items():
            if entry.default == REQUIRED and key not in self.mapping():
                raise ModelError(f"{who}: {key} is missing", at=self.at)

    def mapping(self) -> dict[str, Value]:
        """Return the entries of a mapping. Raises ModelError."""
        if not isinstance(self.content, dict):
            raise self.complaint("it must be a mapping, {key: value, ...}")
        return self.content

    def items(self) -> tuple[Value, ...]:
        """Return the items of a list. Raises ModelError."""
        if not isinstance(self.content, tuple):
            raise self.complaint("it must be a list, [..., ...]")
        return self.content

    def text(self) -> str:
        """Return a text that is not blank. Raises ModelError."""
        if not isinstance(self.content, str) or not self.content.strip():
            raise self.complaint("it must be a text")
        if not " ".join(self.content.split()).isprintable():
            raise self.complaint("control characters, which terminals would obey, are refused")
        return self.content

    def switch(self) -> bool:
        """Return whether it says yes. Raises ModelError."""
        if not isinstance(self.content, str) or self.content not in SWITCHES:
            raise self.complaint("it must be yes or no, or true or false")
        return SWITCHES[self.content]

    def number(self, names: Mapping[str, float]) -> float:
        """Evaluate an expression. Raises ModelError."""
        if not isinstance(self.content, str):
            raise self.complaint("it must be a number")
        return evaluate(self.content, names, self.what, self.at)

    def whole_number(self, names: Mapping[str, float]) -> int:
        """Evaluate an expression that is a whole number. Raises ModelError."""
        number = self.number(names)
        if number != int(number):
            raise self.complaint("it must be a whole number")
        return int(number)

    def numbers(self, names: Mapping[str, float], *counts: int) -> tuple[float, ...]:
        """Evaluate a list of so many expressions. Raises ModelError."""
        items = self.items()
        if len(items) not in counts:
            how_many = " or ".join(str(count) for count in counts)
            raise self.complaint(f"it must be {how_many} numbers, not {len(items)}")
        return tuple(item.number(names) for item in items)

    def complaint(self, why: str) -> ModelError:
        """Make the error for a value of the wrong kind."""
        return ModelError(f"{self.what} is {_summary(self.content)}", at=self.at, why=why)

    def called(self, what: str) -> Value:
        """Return the same value under another name for messages, passed on to the items of a list."""
        content = self.content
        if isinstance(content, tuple):
            content = tuple(item.called(what) for item in content)
        return Value(content, self.at, what)


def parse_yaml(data: bytes, file: str) -> Value:
    """Parse a YAML document; nothing in it is executed or interpreted, every scalar stays text.

    Raises:
        ModelError: not UTF-8, not YAML, a double key, an unknown tag, too large or too deep (aliases expanded).
    """
    import yaml

    if len(data) > LARGEST_YAML:
        raise ModelError(f"the file has {len(data) / 1e6:.1f} MB", at=Place(file), why="more than 1 MB are refused")
    try:
        root = _compose_nodes(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelError("this is not UTF-8 text", at=Place(file, line), fix="save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise _broken(error, file, data.decode("utf-8-sig").splitlines()) from error
    except (ValueError, OverflowError) as error:  # escapes that are no characters
        raise ModelError("the YAML is broken", at=Place(file), why=str(error)) from error
    if root is None:
        raise ModelError("the file is empty", at=file, fix="name another file")
    return _Reading(file).value(root, 0)


def _compose_nodes(text: str, file: str) -> Any:
    """Return the root node; values and levels are counted before nodes are made.

    LibYAML reads ten times faster than PyYAML, which does where there is none.
    """
    import yaml

    loader, count, depth = getattr(yaml, "CSafeLoader", yaml.SafeLoader), 0, 0
    for event in yaml.parse(text, Loader=loader):
        begins = isinstance(event, yaml.CollectionStartEvent)
        count += begins or isinstance(event, yaml.ScalarEvent)
        depth += begins - isinstance(event, yaml.CollectionEndEvent)
        at = Place(file, event.start_mark.line + 1)
        if count > _MOST_VALUES:
            raise ModelError(f"the YAML has more than {_MOST_VALUES} values", at=at, why="robot files have hundreds")
        if depth > _DEEPEST:
            raise _deep(at)
    reader = loader(text)
    try:
        return reader.get_single_node()
    finally:
        reader.dispose()


class _Reading:
    """Turns PyYAML's nodes to values, counting them: aliases can make a short file huge."""

    def __init__(self, file: str) -> None:
        self.file, self.count = file, 0

    def value(self, node: Any, depth: int) -> Value:
        import yaml

        at = Place(self.file, node.start_mark.line + 1)
        self.count += 1
        if self.count > _MOST_VALUES or depth > _DEEPEST:
            raise ModelError("the YAML is too large or too deep once its aliases are expanded", at=at)
        if isinstance(node, yaml.ScalarNode):
            if node.tag not in _PLAIN_TAGS:
                raise ModelError(
                    f"unexpected tag {quote_text(node.tag)}", at=at, why="robot files hold plain values only"
                )
            return Value(None if node.tag == _NULL else node.value, at)
        if isinstance(node, yaml.SequenceNode):
            return Value(tuple(self.value(item, depth + 1) for item in node.value), at)
        return Value(self._entries(node, depth), at)

    def _entries(self, node: Any, depth: int) -> dict[str, Value]:
        entries: dict[str, Value] = {}
        for key_node, value_node in node.value:
            key, value = self.value(key_node, depth + 1), self.value(value_node, depth + 1)
            if not isinstance(key.content, str):
                raise ModelError(f"a key is {_summary(key.content)}", at=key.at, why="it must be a word")
            if key.content in entries:
                raise ModelError(f"the key {quote_text(key.content)} appears twice", at=key.at, fix="take one out")
            entries[key.content] = Value(value.content, key.at)
        return entries


def _broken(error: Any, file: str, lines: Sequence[str]) -> ModelError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
    line = min(mark.line + 1, len(lines)) if mark else None  # LibYAML finds the end of the file on a line of its own
    if "nesting depth" in why:  # LibYAML reads ahead, and newer ones have a limit of their own
        return _deep(Place(file, line))
    text = str(lines[line - 1]) if line else ""
    if "\t" in text[: len(text) - len(text.lstrip())]:
        return ModelError("a tab indents a line", at=Place(file, line), why="YAML has spaces there", fix="use spaces")
    return ModelError("the YAML is broken", at=Place(file, line), why=why)


def _deep(at: Place) -> ModelError:
    return ModelError("the YAML is nested too deeply", at=at, why=f"more than {_DEEPEST} levels are refused")


def _summary(content: object) -> str:
    if isinstance(content, dict):
        return "a mapping"
    if isinstance(content, tuple):
        return f"a list of {len(content)}"
    return "left empty" if content is None else quote_text(content)
