"""Names of files in generated texts: whatever they hold, the code is that of plain names, and computes the same."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions, export_library
from screwgraph.base.errors import InputError
from screwgraph.compiler import BACKENDS, Library, library_code
from screwgraph.compiler.backends.escapes import in_doc_comment
from screwgraph.model.robot import tree
from tests.api.deployment.tools import WARNINGS, done, eigen, found
from tests.compiler.backends.node import called

HOSTILE = (
    'a"; system("touch caught"); //',
    "b\\",
    "c*/ int caught; /*",
    "d??/",
    "e??'",
    "${HOME} @CMAKE_COMMAND@ $(id)",
    "`id`",
    "//",
    "/* ",
    "*/",
    "\\u000a",
    "\\x22",
    "'",
    "#include <x>",
    "%s%n",
    "<b>&amp;</b>",
    "]]>",
    "{0}",
    "}}",
    "int",
    "fn",
    "ü",
    "工具",
    "\U0001f916",
    "n" * 3000,
    "[0]",
    "](http://x)",
    '"""',
    'R"(',
    "0x",
    "-l",
    "../../up",
    'a\\"b',
    "?" * 9,
)
TITLES = (
    *HOSTILE,
    "a\nint caught;",
    "a\r\nint caught;",
    "a\u2028caught()",
    "a\u2029b",
    "a\x0bb",
    "a\0b",
    "\u202eb",
    "\x85b",
)
JOINTS = ("joint1", "joint2")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|#[^\n]*made by[^\n]*", re.DOTALL)


def library(names, title: str) -> Library:
    """Inverse dynamics of two joints that are called so; nothing is compiled anew."""
    f = sg.inverse_dynamics(sg.load("rr")).listing("inverse")

    def renamed(texts):
        pairs: dict[str, str] = dict(zip(JOINTS, names, strict=True))
        return tuple(re.sub(r"joint[12]", lambda m: pairs[m[0]], text) for text in texts)

    arguments = [replace(a, names=renamed(a.names)) for a in f.arguments]
    code = replace(f.program, input_names=renamed(f.program.input_names))
    return Library("arm", (replace(f, code=code, arguments=arguments),), title)


def skeleton(text: str) -> str:
    """Return the code of a text: without comments and without what stands between quotes."""
    return " ".join(COMMENTS.sub(lambda m: '""' if m[0].startswith('"') else " ", text).split())


@pytest.fixture(scope="module")
def plain():
    return {language: library_code(library(JOINTS, "rr"), language) for language in BACKENDS}


@pytest.mark.parametrize("language", BACKENDS)
@given(
    names=st.lists(st.sampled_from(HOSTILE) | st.text(min_size=1), min_size=2, max_size=2, unique=True),
    title=st.sampled_from(TITLES) | st.text(),
)
@settings(max_examples=20, deadline=None)
def test_names_change_comments_and_strings_only(plain, language, names, title):
    texts = library_code(library(names, title), language)
    assert set(texts) == set(plain[language])
    for path, text in texts.items():
        code = path.endswith((".c", ".h", ".hpp", ".cpp", ".rs", ".mjs", ".py", ".ll", ".ptx"))
        if code:
            assert skeleton(text) == skeleton(plain[language][path]), path
            assert "??" not in text
            assert not re.search(r"\\\s*\n", text) or language in ("llvm", "ptx")
        assert len(text.splitlines()) <= len(plain[language][path].splitlines()) + sum(map(len, names))
        if path == "package.xml":
            ElementTree.fromstring(text)


def renamed_robot(name: str, links, joints) -> sg.Robot:
    robot = sg.load("rr")
    links_of = dict(zip((link.name for link in robot.links), links, strict=True))
    joints_of = dict(zip(robot.joint_names, joints, strict=True))
    return tree(
        name,
        [replace(link, name=links_of[link.name]) for link in robot.links],
        [replace(j, name=joints_of[j.name], parent=links_of[j.parent], child=links_of[j.child]) for j in robot.joints],
    )


TITLE = 'a"; } int caught; //\n#error caught */ int caught; /* ??/ ${x}\u2028caught() \\'
LINKS = ('b"*/', "w\\, 'x' ??/", "</script> `${w}`")
HOSTILE_JOINTS = ('j"); abort(); //??/', "工具 \U0001f916 */ int c; /* \\" + "n" * 2000)


@pytest.fixture(scope="module")
def hostile():
    robot = renamed_robot(TITLE, LINKS, HOSTILE_JOINTS)
    return robot, asked_functions(robot, ("inverse",), Choice(parameters=(f"{LINKS[1]}.mass",)))


def test_hostile_names_are_compiled_as_ros_packages_and_stay_names(hostile, tmp_path):
    robot, made = hostile
    include, compiler, c = eigen(), found("g++", "clang++"), found("gcc", "clang")
    export_library(made, tmp_path, prefix="arm", language="ros2", about=robot.name)
    q, qd, qdd = [0.3, -0.4], [0.5, 0.6], [0.7, -0.8]
    given_names = "".join(", " + "{" + ", ".join(str(b) for b in n.encode()) + "}" for n in HOSTILE_JOINTS)[2:]
    (tmp_path / "main.cpp").write_text(
        '#include <cstdio>\n#include "arm_core.hpp"\nint main() {\n'
        f"    const std::vector<std::vector<unsigned char>> bytes = {{{given_names}}};\n"
        "    std::vector<std::string> names;\n"
        "    for (const auto &b : bytes) names.emplace_back(b.begin(), b.end());\n"
        "    arm::Core core;\n"
        f"    if (!core.set_joints(names, {{{q[0]}, {q[1]}}}, {{{qd[0]}, {qd[1]}}})) return 1;\n"
        f'    core.set("qdd", {{{qdd[0]}, {qdd[1]}}});\n'
        "    core.evaluate([](const std::string &, const std::vector<double> &x) {\n"
        '        std::printf("%.17g %.17g\\n", x[0], x[1]);\n    });\n}\n'
    )
    headers = ("-I.", "-Itest", "-Iinclude/arm", "-isystem", include)
    done(c, "-std=c99", "-trigraphs", *WARNINGS, "-O0", "-Iinclude/arm", "-c", "src/arm.c", cwd=tmp_path)
    flags = ("-std=c++17", "-trigraphs", *WARNINGS, *headers)
    done(compiler, *flags, "main.cpp", "arm.o", "-o", "main", "-lm", cwd=tmp_path)
    done(compiler, *flags, "-fsyntax-only", "test/arm_test.cpp", cwd=tmp_path)
    expected = sg.inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose([float(x) for x in done("./main", cwd=tmp_path).split()], expected, rtol=1e-12)
    assert not (tmp_path / "caught").exists()


def test_hostile_names_are_compiled_in_other_languages(hostile, tmp_path):
    robot, made = hostile
    for language in ("c", "cpp", "rust", "wasm", "numpy"):
        export_library(made, tmp_path / language, prefix="arm", language=language, about=robot.name)
    c, rust = found("gcc", "clang"), found("rustc")
    flags = ("-std=c99", "-trigraphs", *WARNINGS, "-O0", "-I.")
    done(c, *flags, "test/arm_test.c", "arm.c", "-o", "t", "-lm", cwd=tmp_path / "c")
    assert "0 numbers differ" in done("./t", cwd=tmp_path / "c")
    done(
        found("g++"),
        "-std=c++17",
        "-trigraphs",
        *WARNINGS,
        "-I.",
        "-isystem",
        eigen(),
        "-fsyntax-only",
        "test/arm_test.cpp",
        cwd=tmp_path / "cpp",
    )
    done(rust, "--crate-type=rlib", "--crate-name=arm", "src/lib.rs", cwd=tmp_path / "rust")
    q, qd, qdd = [0.3, -0.4], [0.5, 0.6], [0.7, -0.8]
    f = made["inverse"]
    expected = f(q, qd, qdd, f.arguments[3].nominal)
    values = [q, qd, qdd, list(f.arguments[3].nominal)]
    np.testing.assert_allclose(called(tmp_path / "wasm" / "arm.mjs", "arm_inverse", [values])[0], expected, rtol=1e-12)
    space: dict = {}
    exec((tmp_path / "numpy" / "arm_inverse.py").read_text(), space)
    np.testing.assert_allclose(space["arm_inverse"](*values), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "prefix", ["../up", "a/b", 'a"', "std", "linux", "nul", "a" * 300, "", "class", "a\nb", "工具"]
)
def test_prefixes_are_plain_words(prefix, tmp_path: Path):
    made = {"bias": sg.bias_forces(sg.load("rr"))}
    with pytest.raises(InputError, match=r"is no identifier|another meaning|characters"):
        export_library(made, tmp_path / "x", prefix=prefix)
    assert not list(tmp_path.iterdir())


def test_comments_that_are_read_as_markdown_hold_no_links():
    assert in_doc_comment("[a](b) */ [c]") == "(a)(b) * / (c)"
