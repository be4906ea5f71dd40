"""Arithmetic in robot files: right values, and nothing else can be written."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.expressions import CONSTANTS, FUNCTIONS, evaluate, evaluate_parameters

AT = Place("arm.yaml", 7)


def value(text, **names):
    return evaluate(text, CONSTANTS | names, "mass", AT)


def parameters(**texts):
    return evaluate_parameters(texts, {name: Place("arm.yaml", i + 1) for i, name in enumerate(texts)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", 2.0),
        ("-1.5e-3", -0.0015),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("2*L", 0.8),
        ("-pi/2", -math.pi / 2),
        ("2**-1 + 3", 3.5),
        ("-(1 - 4)/2", 1.5),
        ("sqrt(2)*cos(pi/4)", 1.0),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("abs(-L)", 0.4),
        ("asin(1) + acos(1) + atan(0) + sin(0) + tan(0)", math.pi / 2),
    ],
)
def test_arithmetic_gives_the_value_it_says(text, expected):
    assert value(text, L=0.4) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "two", "1 +", "1 2", "1,2", "(1, 2)", "[1]", "'a'", "'a'*3", "1j", "True", "None", "1 if 1 else 2"),
        *("L.real", "L.__class__", "(1).__class__", "().__class__.__bases__[0]", "__import__('os')", "exec('1')"),
        *("lambda: 1", "[x for x in (1,)]", "f'{1}'", "1 < 2", "1 and 2", "5 % 3", "1 << 9", "~1", "1; 2", "x = 1"),
        *(
            "sin",
            "sin + 1",
            "sin(1, 2)",
            "sin()",
            "sin(x=1)",
            "sin(*[1])",
            "sin(sin)",
            "cosh(1)",
            "pow(2, 3)",
            "open(1)",
        ),
        *("1/0", "0**-1", "(-8)**0.5", "sqrt(-1)", "asin(2)", "9**9**9", "10.0**400", "1e400", "1e200", "nan", "inf"),
        *("1e308*10 - 1e308*10", "1_000_000 and 1", "@", "\0", "…", "(" * 100, "-" * 199 + "1"[:0]),
    ],
)
def test_anything_else_is_refused_in_one_line(text):
    with pytest.raises(ModelError) as caught:
        value(text, L=0.4)
    assert str(caught.value).startswith("arm.yaml:7: mass is ")


def test_an_expression_has_a_greatest_length():
    with pytest.raises(ModelError, match="longer than 200 characters"):
        value("1+" * 200 + "1")


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(ModelError, match=r"no parameter is called 'lenght' \(did you mean 'length'\?\)"):
        value("2*lenght", length=1.0)


@pytest.mark.parametrize("text", ["inf", "-inf", ".inf", "-.inf", "NaN", ".nan", "+Infinity", "2*inf", "sin(nan)"])
def test_numbers_that_are_not_finite_are_refused_as_such(text):
    with pytest.raises(ModelError, match=r"arm.yaml:7: mass is .*: numbers are finite here \(write a number"):
        value(text)


def test_a_parameter_may_be_called_inf():
    assert value("inf", inf=2.0) == value("2*inf/2", inf=2.0) == 2.0


def test_parameters_may_refer_to_one_another_in_any_order():
    values = parameters(a="2*b", b="c + 1", c="pi", d="3")
    assert values == {"pi": math.pi, "c": math.pi, "b": math.pi + 1, "a": 2 * math.pi + 2, "d": 3.0}


def test_parameters_that_depend_on_themselves_are_named():
    with pytest.raises(ModelError, match=r"arm.yaml:\d: parameter '.' depends on itself: . -> . -> . -> . \("):
        parameters(a="b", b="c", c="2*a", d="1")


@pytest.mark.parametrize("name", ["pi", "sin", "2a", "a b", "lambda", "a-b", "", "größe"])
def test_a_parameter_needs_a_usable_name(name):
    with pytest.raises(ModelError, match=r"arm.yaml:1: a parameter is called "):
        parameters(**{name: "1"})


def test_a_long_chain_of_parameters_is_no_problem():
    chain = {f"p{i}": f"p{i + 1} + 1" for i in range(3000)} | {"p3000": "0"}
    assert parameters(**chain)["p0"] == 3000.0


@given(st.text(alphabet="0123456789.+-*/()eEpix sincoqrtL_,'[]", max_size=40) | st.text(max_size=30))
def test_any_text_is_a_finite_number_or_a_model_error(text):
    with contextlib.suppress(ModelError):
        assert math.isfinite(value(text, L=0.4))


@given(
    st.recursive(
        st.floats(-10, 10).map(repr) | st.just("L"), lambda x: st.tuples(x, st.sampled_from("+-*"), x), max_leaves=6
    )
)
def test_values_agree_with_python(tree):
    def text(node):
        return node if isinstance(node, str) else f"({text(node[0])} {node[1]} {text(node[2])})"

    assert value(text(tree), L=0.4) == eval(text(tree), {"L": 0.4})


def test_no_function_reaches_beyond_numbers():
    of_numbers = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "abs", "deg2rad", "rad2deg"}
    assert set(FUNCTIONS) == of_numbers


def test_messages_list_some_of_many_names():
    with pytest.raises(ModelError, match=r"no parameter is called 'zz' \(known are pi, .*, \d+ more\)") as refused:
        value("2*zz", **{f"length_of_link_{i}": 1.0 for i in range(50)})
    assert len(str(refused.value)) < 300
