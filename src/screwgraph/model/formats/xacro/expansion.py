"""One xacro file, expanded by the package xacro with our own expressions, YAML files and `$(...)`.

Those of the package lead to all of Python, and to all files. Elements of the document remember file and line, through
macros and included files. No reader of robots is imported.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.dom import expatbuilder
from xml.parsers.expat import ExpatError

from screwgraph.model.formats.packages import Packages
from screwgraph.model.formats.xacro.expressions import Evaluator
from screwgraph.model.formats.xacro.files import Surroundings, read_text, read_yaml
from screwgraph.model.formats.xacro.names import global_names, old_names
from screwgraph.model.formats.xacro.values import ExpressionError

KEY = "written"
"""Under which an element remembers file and line."""
COPIES = 100_000
"""Elements that macros and blocks may be copied to."""
_FOUND = re.compile(r"\$\(\s*find\s+([^\s)]+)\s*\)")


class Numbered(expatbuilder.ExpatBuilderNS):
    """Builds a document whose elements remember file and line."""

    def __init__(self, file, copied):
        super().__init__()
        self.file, self.copied = file, copied

    def install(self, parser):
        super().install(parser)
        parser.EntityDeclHandler = self.refuse

    def refuse(self, name, *_):
        raise BrokenError(self.file, self.getParser().CurrentLineNumber, f"it declares the entity {name!r}")

    def start_element_handler(self, name, attributes):
        super().start_element_handler(name, attributes)
        self.curNode.setUserData(KEY, (self.file, self.getParser().CurrentLineNumber), self.copied)


class Copied:
    """Hands what an element remembers to its copies, which it counts: macros are copied where they are called."""

    def __init__(self):
        self.left = COPIES

    def handle(self, operation, key, data, src, dst):
        self.left -= 1
        if self.left < 0:
            raise ExpressionError(f"its macros expand to more than {COPIES} elements")
        if dst is not None:
            dst.setUserData(key, data, self)


class Arguments(dict):
    """Values for <xacro:arg>; remembers which the file asks for."""

    def __init__(self, given):
        super().__init__(given)
        self.asked = set()

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)


class BrokenError(Exception):
    """A file is no XML: which, where, why."""


class NoValueError(Exception):
    """An argument has neither a value nor a default: its name, and whether the file declares it."""


class Expansion:
    """One file that the package xacro expands, with what it asks of us."""

    def __init__(self, job, xacro):
        text = job["text"]
        folder = None if text is not None else Path(job["file"]).parent
        self.job, self.xacro, self.warnings = job, xacro, []
        self.around = Surroundings(folder, Packages(job["named"], job["folders"]), job["args"])
        self.given, self.copied = Arguments(job["args"]), Copied()
        self.evaluator = Evaluator((xacro.NameSpace,))
        self.beside = xacro.abs_filename_spec
        own = {
            "load_yaml": self.load_yaml,
            "abs_filename": self.absolute,
            "dotify": lambda values: values,
            "arg": self.argument,
            "fatal": self.fatal,
            "tokenize": xacro.tokenize,
            **dict.fromkeys(("warning", "error"), self.say),
            **{name: lambda *_, **__: "" for name in ("message", "print_location")},
        }
        self.names = global_names(own, self.warn)

    def install(self):
        """Put what is done here in the place of what the package does."""
        xacro = self.xacro
        xacro.safe_eval = lambda text, names, local=None: self.evaluator.evaluate(text, names)
        xacro.eval_extension = lambda text: self.substitute(text[2:-1])
        xacro.abs_filename_spec = self.absolute
        xacro.parse = self.parse
        xacro._global_symbols = self.names
        xacro.check_attrs = self.attributes(xacro.check_attrs)
        xacro.warning = self.warn
        xacro.print_location = lambda *_, **__: None
        xacro.init_stacks(None if self.job["text"] is not None else self.job["file"])

    def document(self):
        """Return the expanded document."""
        document = self.parse(self.job["text"], self.job["file"])
        self.declared = [e.getAttribute("name") for e in document.getElementsByTagName("xacro:arg")]
        self.xacro.process_doc(document, mappings=self.given)
        return document

    def warn(self, *words, **_):
        self.warnings.append(" ".join(map(str, words)))

    def say(self, *words, **_):
        self.warn(*words)
        return ""

    def fatal(self, *words):
        raise ExpressionError(" ".join(map(str, words)))

    def absolute(self, spec):
        return self.around.absolute(spec, self.beside)

    def parse(self, content, filename=None):
        file = self.job["file"] if content is not None else filename
        if content is None:
            try:
                content = read_text(Path(str(filename)))
            except OSError as error:
                self.xacro.filestack.pop()
                raise self.xacro.XacroException(exc=error) from error
        try:
            return Numbered(file, self.copied).parseString(content)
        except ExpatError as error:
            raise BrokenError(file, error.lineno, str(error).partition(": line")[0]) from error

    def load_yaml(self, spec):
        path = Path(self.absolute(str(spec)))
        self.around.check(path)
        return read_yaml(read_text(path), lambda text: self.evaluator.evaluate(text, self.names))

    def argument(self, name):
        if name not in self.given:
            raise NoValueError(str(name), name in self.declared)
        return self.given[name]

    def attributes(self, check):
        """Return xacro's reader of attributes, for arguments without a default that have a value."""

        def check_attributes(tag, required, optional):
            if tag.tagName == "xacro:arg" and not tag.hasAttribute("default"):
                self.argument(tag.getAttribute("name"))
                tag.setAttribute("default", "")
            return check(tag, required, optional)

        return check_attributes

    def substitute(self, text):
        """Return what $(text) stands for."""
        command, *values = text.split()
        if command == "eval":
            return str(self.evaluator.evaluate(text.strip()[4:], self.old_names()))
        takes = {"cwd": (0, 0), "dirname": (0, 0), "find": (1, 1), "arg": (1, 1), "env": (1, 1), "optenv": (1, 99)}
        if command not in takes:
            raise ExpressionError(f"unknown substitution command {text!r}: there are eval, {', '.join(takes)}")
        least, most = takes[command]
        if not least <= len(values) <= most:
            raise ExpressionError(f"$({text}) has {len(values)} values, not {least}")
        if command == "arg":
            return self.with_packages(str(self.argument(values[0])))
        if command == "find":
            return self.around.find(values[0])
        if command == "cwd":
            return os.getcwd()
        return self.dirname() if command == "dirname" else self.environment(*values)

    def environment(self, name, *default):
        found = self.around.environment(name)
        if found is None and not default:
            raise ExpressionError(f"the environment variable {name} is not set")
        return " ".join(default) if found is None else found

    def dirname(self):
        file = self.xacro.filestack[-1]
        if not file:
            raise ExpressionError("$(dirname) of a text: it lies in no folder")
        return os.path.abspath(os.path.dirname(file))

    def with_packages(self, value):
        """Return the value of an argument with the folders of packages that it names."""
        return _FOUND.sub(lambda match: self.around.find(match[1]), value)

    def old_names(self):
        """Return the names of $(eval ...): the file's arguments among them."""
        own = {
            "arg": lambda name: convert_argument(self.argument(name)),
            "env": self.environment,
            "optenv": lambda name, default="": self.environment(name, str(default)),
            "find": self.around.find,
            "dirname": self.dirname,
        }
        return {name: convert_argument(value) for name, value in self.given.items()} | old_names(own)


def convert_argument(value):
    """Return an argument as $(eval ...) takes it: a number, a truth value, or a text."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(value.lower(), value)
