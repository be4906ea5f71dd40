"""Values of equal limbs stand side by side, one of each limb."""

from screwgraph.compiler.passes.slp.pack_selection import select_packs
from screwgraph.compiler.passes.slp.sign_normal_form import make_sign_normal_form
from screwgraph.tape import Tape, program


def test_a_pair_and_four_limbs_share_values_of_the_trunk():
    """Packs of pairs have two lanes: in lanes of the third limb of four, nothing is beside what leads them."""
    tape = Tape(merge="form")
    a, b, *limbs = (tape.input(name) for name in ("a", "b", "arm0", "arm1", "leg0", "leg1", "leg2", "leg3"))
    trunk = [a * b, a * a, b * b, a * b * b]
    ends = [x * leg for x, leg in zip(trunk, limbs[2:], strict=True)]
    ends += [x * arm for x, arm in zip(trunk, limbs[:2], strict=False)]
    code = program(tape, ends)
    places = [operands[0] if kind == "input" else None for kind, *operands in code.instructions]
    packs = select_packs(make_sign_normal_form(code), places, [((2,), (3,)), ((4,), (5,), (6,), (7,))])
    assert sorted(map(len, packs)) == [2, 2, 4, 4]
