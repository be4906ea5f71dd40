"""Expressions of xacro files: values as the package xacro has them, and no way to Python itself."""

import importlib.util
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screwgraph.model.formats.xacro.expressions import Evaluator
from screwgraph.model.formats.xacro.names import global_names, old_names
from screwgraph.model.formats.xacro.values import ExpressionError, Space

OWN = ("load_yaml", "abs_filename", "dotify", "arg", "fatal", "tokenize", "message", "warning", "error")
NAMES = global_names(dict.fromkeys(OWN, lambda *values: values), lambda words: None)
DATA = {
    "mass": 2.5,
    "side": "left",
    "flag": True,
    "joints": ["hip", "knee", "ankle"],
    "limits": {"hip": {"lower": -1.5, "upper": 2, "name": "hip"}, "items": 3},
    "xyz": "0.1 0.2 0.3",
    "empty": "",
}

EXPRESSIONS = """
1+2*3 | -mass**2 | 7//2 | 7%3 | 2**10 | 1e-3*mass | mass/3 | (1, 2)[0] | 0x10 | 1_000 | 3.0 == 3 | ~5 | 6&3 | 6|3 | 6^3 | 1<<4
pi | pi/2 | radians(90) | degrees(pi) | sin(0.3)**2+cos(0.3)**2 | atan2(1, 2) | sqrt(2) | math.tau | e | floor(2.7) | ceil(2.2)
hypot(3, 4) | fabs(-2) | pow(2, 3) | log(10) | exp(1) | isclose(1, 1+1e-12) | math.factorial(5) | inf > 1 | copysign(1, -2)
'a' if flag else 'b' | 'left' == side | side != 'right' and mass > 1 | not flag or mass < 3 | side in ['left', 'right'] | 1 < mass < 3
'l' in side | side not in ('a', 'b') | flag is True | None is None | side[0] | side[-2:] | side[::-1] | joints[1] | joints[-1] | joints[:2]
limits['hip']['lower'] | limits['hip']['upper']*2 | 'hip' in limits | len(limits) | limits.get('knee', 7) | sorted(limits['hip'].keys())
list(limits['hip'].values())[0] | [k for k, v in limits['hip'].items() if v == 2] | dict(a=1, b=2)['b'] | {'a': 1, **dict(b=2)}['b']
side.upper() | side.capitalize() | xyz.split()[1] | xyz.split(' ')[2] | float(xyz.split()[0])*2 | '_'.join(joints) | side.replace('e', 'E')
side.startswith('le') | side.endswith('t') | side.find('f') | '7'.zfill(3) | 'a,b'.partition(',')[2] | side.strip('t') | side.title()
str(mass) | str(1.0) | int('7')+1 | int(2.9) | float('1e3') | bool('') | bool(0) | round(2.567, 2) | round(2.5) | min(1, 2, mass) | max([3, 1])
len(joints) | abs(-3) if False else 0 | python.abs(-3) | python.sum([1, 2, 3]) | python.any([0, 1]) | python.all([]) | python.sorted([3, 1, 2])
list(map(int, '1 2 3'.split())) | list(map(lambda x: x*2, [1, 2])) | [x*mass for x in [1, 2] if x > 1] | [[i, j] for i in [0, 1] for j in [i]]
list(python.enumerate(joints)) | list(python.zip(joints, [1, 2, 3])) | list(python.reversed([1, 2])) | list(python.filter(lambda x: x > 1, [1, 2]))
sum_ if False else 1 | python.tuple([1]) | python.set([1, 1]) | {x for x in [1, 1]} | {k: 1 for k in joints} | list(python.range(3)) | python.range(5)[2]
'%s_%d' % (side, 3) | '%.2f' % mass | '%5.1f|' % mass | '%%' % () | '{}_{}'.format(side, 2) | '{0:.3f}'.format(pi) | '{a}'.format(a=1) | '{0[1]}'.format(joints)
f'{side}_link' | f'{mass:.1f}' | f'{mass!r}' | f'{side:>8}' | 'a' 'b' | 'a' + str(1) | 'ab'*2 | [0]*3 | [1]+[2] | (1,)+(2,) | '"' | "it's"
python.isinstance(mass, float) | python.isinstance(side, (str, int)) | python.type(mass) == float | python.divmod(7, 2) | python.ord('a') | python.repr('a')
tokenize if False else 1 | complex_ if 0 else 2 | python.complex(1, 2).imag | mass.is_integer() | max(joints, key=len) | min('abc') | list('abc') | True and 1
[*joints, 'toe'] | max(*[1, 2]) | dict(**dict(a=1)) | python.slice(1) == python.slice(1) | joints[python.slice(1)] | (lambda a, b=2: a+b)(1)
""".replace("\n", " | ")  # fmt: skip # noqa: E501
EXPRESSIONS = [text.strip() for text in EXPRESSIONS.split(" | ") if text.strip()]

ESCAPES = """
().__class__ ;; ''.__class__.__mro__ ;; [].__class__.__base__.__subclasses__() ;; getattr(1, '__class__') ;; min.__self__
__import__('os').system('touch caught') ;; __builtins__ ;; open('/etc/passwd') ;; eval('1') ;; exec('1') ;; globals() ;; vars() ;; dir()
python.vars(min) ;; python.type(min) ;; python.type(python.type) ;; python.type('')('a') .__class__ ;; python.getattr ;; math.__loader__ ;; math.__dict__
(x for x in [1]).gi_frame ;; [g.gi_frame for g in [(x for x in [1])]] ;; (lambda: 0).__globals__ ;; (lambda: 0).__code__ ;; [].append.__self__
'{0.__class__}'.format(1) ;; '{0.real}'.format(1) ;; '{a.b}'.format(a=min) ;; '{0[__class__]}'.format(min) ;; f'{min.__self__}' ;; f'{().__class__}'
'{0.__class__.__init__.__globals__}'.format(xacro.load_yaml) ;; '{:{}}'.format(1, 10**9) ;; '%(a)s' % python.vars() ;; 'x'.format_map(limits)
(y := 1) ;; (await x) ;; (yield 1) ;; lambda *a: a ;; limits.__class__ ;; limits['hip'].__init__ ;; xacro.__init__ ;; xacro.root ;; math.parent
limits.fromkeys ;; joints.__iter__ ;; side.encode() ;; side.maketrans('a', 'b') ;; side.translate({}) ;; side.__add__('b') ;; b'x' ;; ... ;; 1 .__add__(2)
mass.fromhex('1') ;; mass.hex ;; (1).to_bytes(2, 'big') ;; (1).from_bytes(b'') ;; True.__class__ ;; str.join ;; str.mro() ;; dict.fromkeys([1]) ;; float.__add__
joints.sort.__self__ ;; max.__name__ ;; max.__module__ ;; math.sin.__self__ ;; xacro.load_yaml.call ;; xacro.load_yaml.type ;; limits.items.call
mass() ;; side(1) ;; limits() ;; [].copy.__func__ ;; python.slice(1).indices(3) ;; python.slice(1).start ;; None.x ;; print(1) ;; input() ;; compile('1', '', 'eval')
""".replace("\n", " ;; ")  # fmt: skip # noqa: E501
ESCAPES = [text.strip() for text in ESCAPES.split(";;") if text.strip()]

ENDLESS = """
10**10**10 ;; 2**100000 ;; 9**9**9**9 ;; 1<<10**9 ;; 'a'*10**9 ;; [0]*10**9 ;; (0,)*10**12 ;; 10**9*'a' ;; python.range(10**12) ;; list(python.range(10**7))
'a'.ljust(10**9) ;; 'a'.center(10**10) ;; '1'.zfill(10**9) ;; 'a\\t'.expandtabs(10**9) ;; '%1000000000d' % 1 ;; '%.1000000000f' % 1 ;; '%*d' % (10**9, 1)
'{:1000000000}'.format(1) ;; '{:.999999999f}'.format(1.0) ;; f'{1:1000000000}' ;; f'{1:{10**9}}' ;; math.factorial(10**7) ;; math.comb(10**6, 5*10**5)
math.perm(10**5) ;; ('a'*10**6).replace('a', 'b'*10**6) ;; 'a'.join(['b'*10**6]*10**6) ;; 'a'*10**6 + 'b' ;; [x for x in python.range(10**6) for y in python.range(10**6)]
str([[[[[['a'*100]*100]*100]*100]*100]*100]) ;; python.repr([[[[['a']*999]*999]*999]*999]) ;; [[[['a']*999]*999]*999] ;; {'a': [[['a']*999]*999]*999}
(lambda f: f(f))(lambda f: f(f)) ;; python.sum([10**3000]*10**5)**99 ;; int('9'*10**5) ;; python.divmod(10**3000, 7)[0]**9 ;; 'a'.replace('', 'b'*10**6)
""".replace("\n", " ;; ")  # fmt: skip # noqa: E501
ENDLESS = [text.strip() for text in ENDLESS.split(";;") if text.strip()]


class Names(dict):
    """A namespace of a file."""


def value(text):
    return Evaluator((Names,)).evaluate(text, NAMES | DATA)


@pytest.mark.skipif(importlib.util.find_spec("xacro") is None, reason="xacro is not installed")
def test_expressions_have_the_values_that_xacro_gives_them():
    import xacro

    assert len(EXPRESSIONS) > 140
    for text in EXPRESSIONS:
        expected = xacro.safe_eval(text, dict(xacro._global_symbols) | DATA)
        found = value(text)
        if callable(expected):
            continue
        assert found == expected, text
        assert str(found) == str(expected), text
        assert type(found) is type(expected), text


def test_maps_are_read_with_dots():
    assert value("limits.hip.lower") == -1.5
    assert value("limits.hip.name.upper()") == "HIP"
    assert value("xacro.dotify(limits)[0].hip.upper") == 2
    with pytest.raises(ExpressionError, match="the map has no key 'knee'"):
        value("limits.knee")


def test_namespaces_are_read_with_dots():
    names = NAMES | {"arm": Names(mass=3.0, tool=Names(mass=1.0))}
    assert Evaluator((Names,)).evaluate("arm.mass + arm.tool.mass", names) == 4.0
    for text in ("arm.keys()", "arm.get('mass')", "arm.update(mass=2)", "arm.tool.clear()"):
        with pytest.raises(NameError, match="is not defined"):
            Evaluator((Names,)).evaluate(text, names)


@pytest.mark.parametrize("text", ESCAPES)
def test_no_expression_leads_to_python(text):
    with pytest.raises((ExpressionError, NameError, SyntaxError)):
        value(text)


@pytest.mark.parametrize("text", ENDLESS)
def test_no_expression_grows_without_bound(text):
    with pytest.raises((ExpressionError, RecursionError, ValueError, OverflowError)):
        value(text)


def test_many_small_expressions_are_counted():
    one = Evaluator()

    def evaluate_many():
        for _ in range(30):
            one.evaluate("[x for x in python.range(100000)] and 1", NAMES)

    with pytest.raises(ExpressionError, match="take too long"):
        evaluate_many()


def test_lists_that_hold_themselves_are_refused():
    with pytest.raises(ExpressionError):
        value("[joints.append(joints), joints][1]")


def test_nothing_but_data_and_our_functions_comes_out():
    """Whatever stands in the names that a file finds is a number, a text, a function or a namespace of ours."""

    def check(found):
        for one in found.values():
            if isinstance(one, Space):
                check(one.names)
            else:
                assert type(one).__name__ in ("Function", "float", "bool"), one

    check(NAMES)
    check(old_names({}))


ATOMS = st.sampled_from(
    [
        "1",
        "0.5",
        "'a'",
        "mass",
        "side",
        "joints",
        "limits",
        "min",
        "python",
        "math",
        "xacro",
        "str",
        "None",
        "()",
        "[]",
        "{}",
    ]
)
WORDS = st.sampled_from(
    [
        "__class__",
        "__dict__",
        "real",
        "format",
        "append",
        "items",
        "hip",
        "gi_frame",
        "f_back",
        "names",
        "call",
        "type",
        "pi",
        "sort",
    ]
)


FORMS = (
    "{0}[{1}]",
    "{0}({1})",
    "({0} for x in {1})",
    "[{0} for x in [{1}]]",
    "(lambda x: {0})({1})",
    "{0} + {1}",
    "({0} if {1} else {0})",
)


def larger(inner):
    """Expressions of expressions."""
    words = [st.builds(form.format, inner, WORDS) for form in ("{0}.{1}", "'{{0.{1}}}'.format({0})")]
    return st.one_of(*words, *(st.builds(form.format, inner, inner) for form in FORMS))


@given(st.recursive(ATOMS, larger, max_leaves=8))
@settings(max_examples=150, deadline=None)
def test_values_of_any_expression_are_data(text):
    try:
        found = value(text)
    except Exception:  # any refusal will do; what matters is what is not refused
        return
    waiting = [found]
    while waiting:
        one = waiting.pop()
        assert isinstance(one, (int, float, complex, str, list, tuple, dict, set, range, slice, Space, type(None))) or (
            type(one).__name__ == "Function"
        )
        waiting += (
            list(one.values()) if isinstance(one, dict) else list(one) if isinstance(one, (list, tuple, set)) else []
        )
    assert "object at 0x" not in str(found)


def test_numbers_are_exact():
    assert value("0.1 + 0.2") == 0.1 + 0.2
    assert value("pi") == math.pi
