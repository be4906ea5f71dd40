"""A command from one description: its function, the public function that it asks, and words for its options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Annotated, Any

import typer

from screwgraph.base.function_description import REQUIRED, ParameterDescription, describe_parameters
from screwgraph.ui.cli.model_source import MODEL_FLAGS, ModelSource
from screwgraph.ui.cli.options import FLAGS, Flag

SOURCE, ASKED = "source", "asked"
"""Parameters of a command's function: the model, and arguments of the public function that were given."""


@dataclass(frozen=True)
class Command:
    """A command: its function, what its help says after the summary, and where its options come from.

    Parameters of `run` are options; `source` stands for those of `ModelSource` that `model` names, `asked` for those of
    the public function `query` that `takes` names. Flags that commands share need not be among its `flags`.
    """

    run: Callable[..., None]
    about: str
    flags: Mapping[str, Flag] = field(default_factory=dict)
    model: str = ""
    query: Callable[..., Any] | None = None
    takes: str = ""

    def callback(self) -> Callable[..., None]:
        """Return the function of the options alone that typer reads."""
        model, own = describe_parameters(ModelSource), describe_parameters(self.run)
        public = {} if self.query is None else describe_parameters(self.query)
        groups: dict[str, dict[str, ParameterDescription]] = {
            "": {name: p for name, p in own.items() if name not in (SOURCE, ASKED)},
            ASKED: {name: public[name] for name in self.takes.split()},
            SOURCE: {name: model[name] for name in ("path", *self.model.split())} if SOURCE in own else {},
        }
        known = {**FLAGS, **MODEL_FLAGS, **self.flags}
        options = [
            _parameter(name, p, known.get(name, Flag())) for group in groups.values() for name, p in group.items()
        ]

        def call(**given: Any) -> None:
            parts = {key: {name: _value(p, given[name]) for name, p in group.items()} for key, group in groups.items()}
            if SOURCE in own:
                parts[""][SOURCE] = ModelSource(**parts[SOURCE])
            if ASKED in own:
                parts[""][ASKED] = {name: x for name, x in parts[ASKED].items() if x is not None and x != ()}
            self.run(**parts[""])

        call.__signature__ = inspect.Signature(options)  # pyright: ignore[reportFunctionMemberAccess]
        call.__annotations__ = {p.name: p.annotation for p in options}
        return call


def _parameter(name: str, p: ParameterDescription, flag: Flag) -> inspect.Parameter:
    """Return a parameter as typer reads it."""
    assert p.kind is not None, f"{name} has no plain values"
    kind: Any = list[str] if p.kind in (list, tuple) else p.kind
    kind = StrEnum(name, {choice: choice for choice in flag.choices}) if flag.choices else kind
    default = None if p.default == () else p.default
    if default is None:
        kind = kind | None
    elif flag.choices and default is not REQUIRED:
        default = kind(default)
    about = flag.help or _sentence(p.about)
    if p.kind is tuple and not flag.is_argument:
        about = f"{about.removesuffix('.')}; repeatable, or separated by commas."
    shared: dict[str, Any] = {"metavar": flag.metavar or ("NAME" if p.kind is tuple else None), "help": about}
    shared |= {"min": flag.min, "max": flag.max, "callback": flag.check, "autocompletion": flag.complete}
    option = name.replace("_", "-")
    own = f"--{option}/--no-{option}" if kind == bool | None else f"--{option}"
    names = (flag.name or own, *filter(None, (flag.short,)))
    info = typer.Argument(**shared) if flag.is_argument else typer.Option(*names, **shared)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def _value(p: ParameterDescription, given: Any) -> Any:
    """Return what an option was given as an argument: names, each once, where values have commas between them."""
    if p.kind is tuple:
        return tuple(dict.fromkeys(name.strip() for value in given or () for name in value.split(",")))
    if p.kind is list:
        return given or None
    return given.value if isinstance(given, Enum) else given


def _sentence(text: str) -> str:
    """Return the first sentence of what a docstring says, as an option's help."""
    first = re.split(r"(?<=\.)\s", text, maxsplit=1)[0].replace("`", "")
    return first[:1].upper() + first[1:]
