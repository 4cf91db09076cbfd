"""Formulas are set right in every form, and read aloud as a person would read them."""

# ruff: noqa: RUF001 - mathematical letters and signs are what is tested

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont
from hypothesis import given, settings
from hypothesis import strategies as st

from report.formula import FormulaError, mathml, parse, plain, svg, text_html
from report.formula.running import GREEK_IN_TEXT, SIGNS_IN_TEXT, SPACE, THIN_SPACE
from report.formula.signs import ACCENTS, FUNCTIONS, GREEK, LIMIT_FUNCTIONS, SAME_SIGN, SIGNS

ROOT = Path(__file__).parents[1]
FONTS = ROOT / "templates" / "fonts"
ZIAMATH = find_spec("ziamath")
assert ZIAMATH is not None
STIX = Path(ZIAMATH.origin or "").parent / "fonts" / "STIXTwoMath-Regular.ttf"
MATHML = "{http://www.w3.org/1998/Math/MathML}"

SPOKEN = {
    r"\operatorname{Var}(q \cdot k) = \sum_{i=1}^{d_k} \operatorname{Var}(q_i k_i) = d_k": (
        "the variance of q dot k equals the sum from i equals 1 to d sub k of "
        "the variance of q sub i times k sub i equals d sub k"
    ),
    r"\operatorname{Attention}(Q, K, V) = "
    r"\operatorname{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V": (
        "attention of Q, K, V equals softmax of "
        "Q K transpose over the square root of d sub k, times V"
    ),
    r"J = \operatorname{diag}(p) - p p^{\top}": (
        "J equals the diagonal matrix of p, minus p p transpose"
    ),
    r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j)": (
        "the partial derivative of p sub i with respect to z sub j equals "
        "p sub i times the quantity delta sub i j minus p sub j"
    ),
    r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}": (
        "p sub i equals the fraction with numerator e to the z sub i and denominator "
        "the sum over j of e to the z sub j"
    ),
    r"\max_i p_i(1-p_i) \le \frac{1}{4}": (
        "the maximum over i of p sub i times the quantity 1 minus p sub i "
        "is less than or equal to one quarter"
    ),
    r"v^{\top} \tanh(W_q q + W_k k)": (
        "v transpose times the hyperbolic tangent of W sub q times q plus W sub k times k"
    ),
    r"\mathrm{softmax}": "softmax",
    r"\|J\|": "the norm of J",
    r"\sqrt{2 \ln n}": "the square root of 2 times the natural logarithm of n",
    r"d_k": "d sub k",
    r"\sqrt{d_k}": "the square root of d sub k",
    r"1/\sqrt{d_k}": "1 over the square root of d sub k",
    r"p(1-p)": "p times the quantity 1 minus p",
    r"q \cdot k": "q dot k",
    r"d_k > 2\ln n": "d sub k is greater than 2 times the natural logarithm of n",
    r"W_q^\top W_k": "W sub q transpose times W sub k",
    r"\rho d_k": "rho d sub k",
    r"\sigma_q\sigma_k": "sigma sub q times sigma sub k",
    r"z = s/\sqrt{d_k}": "z equals s over the square root of d sub k",
    r"\begin{bmatrix} a & -b \\ 0 & 1 \end{bmatrix}": (
        "the 2 by 2 matrix, row 1: a, minus b; row 2: 0, 1"
    ),
}
"""Every formula the article uses at least, with the words it must be read by."""

MORE_SPOKEN = {
    r"\frac{a+b}{c} + d": (
        "the fraction with numerator a plus b and denominator c, end fraction, plus d"
    ),
    r"\sqrt{a+b}\,c": "the square root of a plus b, end root, times c",
    r"\sqrt{a} + c": "the square root of a, plus c",
    r"(1-p)^2 x": "the quantity 1 minus p, squared, times x",
    r"(a+b)(c+d)": "the quantity a plus b, end quantity, times the quantity c plus d",
    r"x_{i+1} y": "x sub i plus 1, end sub, times y",
    r"e^{-x^2/2} y": "e to the power minus x squared over 2, end power, times y",
    r"e^{q\cdot k}": "e to the power q dot k",
    r"\sum_i a_i + b": "the sum over i of a sub i, plus b",
    r"\sum_{j \neq i} p_j": "the sum over j not equal to i of p sub j",
    r"2 \cdot 3": "2 times 3",
    r"-1": "minus 1",
    r"a - 1": "a minus 1",
    r"x = -1": "x equals minus 1",
    r"1/2": "one half",
    r"1{,}024": "1,024",
    r"x'": "x prime",
    r"(8, 0, -8, 4)": "the list 8, 0, minus 8, 4",
    r"|a| + |b|": "the absolute value of a, plus the absolute value of b",
    r"\|J\|_2": "the 2 norm of J",
    r"p(y \mid x)": "p of y given x",
    r"\mathbb{E}[X]^2": "the expected value of X, squared",
    r"\mathbb{E}_{x \sim p}[f(x)]": "the expected value over x distributed as p of f of x",
    r"W \in \mathbb{R}^{d \times n}": "W is in R to the power d by n",
    r"\mathbf{W} x": "bold W x",
    r"\mathbf{1} x": "bold 1 x",
    r"d_{\mathrm{model}}": "d sub model",
    r"\log_2 n": "the logarithm base 2 of n",
    r"\lim_{x \to 0} x": "the limit as x goes to 0 of x",
    r"\frac{\partial}{\partial z_j} p_i": (
        "the partial derivative with respect to z sub j of p sub i"
    ),
    r"\hat{\sigma}^2": "sigma hat squared",
    r"\begin{aligned} a &= b \\ &= c \end{aligned}": "a equals b; equals c",
    r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}": (
        "1, if x is greater than 0; 0, otherwise"
    ),
}


@pytest.mark.parametrize(("tex", "expected"), [*SPOKEN.items(), *MORE_SPOKEN.items()])
def test_a_formula_is_read_aloud_as_a_person_would(tex: str, expected: str) -> None:
    actual = parse(tex, display=False).spoken

    assert actual == expected


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\sqrt{d_k}", "√d_k"),
        (r"(n-1)e^{-g}", "(n − 1)e^(−g)"),
        (r"\frac{1}{n}", "1 over n"),
        (r"5 and \nothing", r"5 and \nothing"),
    ],
)
def test_a_formula_is_written_as_characters_or_words_and_else_left_alone(
    tex: str, expected: str
) -> None:
    assert plain(tex).replace(SPACE, " ") == expected


def test_display_changes_the_looks_and_not_the_words() -> None:
    actual = [parse(tex, display=True).spoken for tex in SPOKEN]

    assert actual == list(SPOKEN.values())


# --- running text --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("d_k", "<i>d<sub>k</sub></i>"),
        (r"\sqrt{d_k}", "√<i>d<sub>k</sub></i>"),
        (r"1/\sqrt{d_k}", "1/√<i>d<sub>k</sub></i>"),
        ("p(1-p)", f"<i>p</i>(1{SPACE}−{SPACE}<i>p</i>)"),
        (r"q \cdot k", f"<i>q</i>{THIN_SPACE}·{THIN_SPACE}<i>k</i>"),
        ("-1", "−1"),
        ("x^2", "<i>x</i><sup>2</sup>"),
        ("e^{-g}", "<i>e</i><sup>−<i>g</i></sup>"),
        (r"\delta_{ij}", "<i>δ<sub>ij</sub></i>"),
        (r"\Delta", "Δ"),
        (r"2 \ln n", f"2{SPACE}ln{SPACE}<i>n</i>"),
        (r"\mathrm{d}x", "d<i>x</i>"),
        (r"d_{\text{model}}", "<i>d</i><sub>model</sub>"),
        ("(8, 0, -8)", "(8, 0, −8)"),
        ("a < b", f"<i>a</i>{SPACE}&lt;{SPACE}<i>b</i>"),
        ("x'", "<i>x</i>′"),
    ],
)
def test_letters_lean_and_digits_signs_and_names_stand(tex: str, expected: str) -> None:
    actual = text_html(parse(tex, display=False))

    assert actual == f'<span class="sym">{expected}</span>'


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{1}{4}",
        r"\sum_j x_j",
        r"e^{z_i}",
        r"W_q^\top W_k",
        r"\sqrt{2 \ln n}",
        r"\|J\|",
        r"\begin{bmatrix} a & b \end{bmatrix}",
        r"\mathbb{R}",
        r"\hat{x}",
        r"x_i^2",
    ],
)
def test_what_needs_two_storeys_or_the_mathematics_face_is_not_simple(tex: str) -> None:
    formula = parse(tex, display=False)

    assert not formula.simple
    with pytest.raises(ValueError, match="not simple enough"):
        text_html(formula)


def test_a_short_formula_stays_on_its_line_and_a_long_one_may_break_after_a_relation() -> None:
    short = text_html(parse("d_k = 64", display=False))
    long = text_html(parse(r"\operatorname{Var}(q \cdot k) = \sigma^2 d_k = 64", display=False))

    assert " " not in short.removeprefix("<span class")
    assert long.removeprefix("<span class").count("= ") == 2


@pytest.mark.parametrize("face", ["QuillText-Regular", "QuillText-Italic", "QuillSans-Regular"])
def test_the_text_faces_have_every_sign_that_running_text_can_hold(face: str) -> None:
    glyphs = TTFont(FONTS / f"{face}.ttf").getBestCmap()
    signs = {*SIGNS_IN_TEXT, *GREEK_IN_TEXT, SPACE, THIN_SPACE, "√"}

    assert {sign for sign in signs if ord(sign) not in glyphs} == set()


@pytest.mark.parametrize("font", [STIX, FONTS / "QuillMath-Regular.ttf"], ids=["print", "page"])
def test_the_mathematics_faces_have_every_sign_that_can_be_read_aloud(font: Path) -> None:
    glyphs = TTFont(font).getBestCmap()
    signs = {*SIGNS, *GREEK, *ACCENTS}

    assert {sign for sign in signs if ord(sign) not in glyphs} == set()


# --- MathML --------------------------------------------------------------------------------------


@pytest.mark.parametrize("display", [True, False])
@pytest.mark.parametrize("tex", [*SPOKEN, *MORE_SPOKEN])
def test_mathml_is_well_formed_and_carries_its_tex_and_its_words(tex: str, display: bool) -> None:
    formula = parse(tex, display=display)
    math = ET.fromstring(mathml(formula))
    semantics = math[0]

    assert math.tag == f"{MATHML}math"
    assert math.get("display") == ("block" if display else "inline")
    assert math.get("alttext") == formula.spoken
    assert [child.tag for child in semantics] == [semantics[0].tag, f"{MATHML}annotation"]
    assert semantics[1].get("encoding") == "application/x-tex"
    assert semantics[1].text == tex


def test_less_than_and_ampersand_are_escaped_everywhere() -> None:
    tex = r"\begin{bmatrix} a < b & c \end{bmatrix}"
    written = mathml(parse(tex, display=True))

    assert r"a &lt; b &amp; c" in written
    assert ET.fromstring(written)[0][1].text == tex


def _leaves(tex: str, tag: str, *, display: bool = False) -> list[str]:
    math = ET.fromstring(mathml(parse(tex, display=display)))
    return [node.text or "" for node in math.iter(f"{MATHML}{tag}")]


@pytest.mark.parametrize(
    "tex",
    [r"\mathrm{softmax}", r"\operatorname{softmax}", r"\mathrm {softmax}"],
)
def test_a_name_is_one_identifier(tex: str) -> None:
    assert _leaves(tex, "mi") == ["softmax"]
    assert _leaves(tex, "mo") == []


def test_a_name_of_one_letter_stands_upright() -> None:
    for tex in (r"\operatorname{E}", r"\mathrm{E}"):
        assert '<mi mathvariant="normal">E</mi>' in mathml(parse(tex, display=False))


def test_mathml_uses_no_variant_that_browsers_ignore() -> None:
    tex = r"\mathbf{Wx} + \mathbb{RE} + \mathcal{LN} + \mathrm{KL} + \mathrm{d}"

    assert set(re.findall('mathvariant="([a-z]*)"', mathml(parse(tex, display=True)))) == {"normal"}
    assert _leaves(tex, "mi") == ["𝐖", "𝐱", "ℝ", "𝔼", "ℒ", "𝒩", "KL", "d"]


def test_a_bold_digit_is_a_bold_character_and_the_name_of_something() -> None:
    tex = r"\mathbf{1}\mathbf{1}^\top + \mathbb{1} + \mathrm{1} + 1"

    assert _leaves(tex, "mi")[:4] == ["𝟏", "𝟏", "⊤", "𝟙"]
    assert _leaves(tex, "mn") == ["1", "1"]
    assert "mathvariant" not in mathml(parse(tex, display=True))


@pytest.mark.parametrize(
    ("tex", "display", "expected"),
    [
        (r"\max_i p_i", True, "munder"),
        (r"\max_i p_i", False, "msub"),
        (r"\sum_{i=1}^n p_i", True, "munderover"),
        (r"\sum_{i=1}^n p_i", False, "msubsup"),
        (r"\frac{1}{\sum_{i=1}^n p_i}", True, "msubsup"),
        (r"\left( \sum_{i=1}^n p_i \right)", True, "munderover"),
        (r"\operatorname*{argmax}_i p_i", True, "munder"),
        (r"\operatorname{rank}_i p_i", True, "msub"),
    ],
)
def test_a_range_stands_under_its_operator_in_display_only(
    tex: str, display: bool, expected: str
) -> None:
    math = ET.fromstring(mathml(parse(tex, display=display)))
    scripts = [node.tag.removeprefix(MATHML) for node in math.iter()]

    assert next(tag for tag in scripts if tag.startswith(("msub", "munder"))) == expected


def _space(tex: str, sign: str) -> tuple[str | None, str | None]:
    math = ET.fromstring(mathml(parse(tex, display=False)))
    node = next(node for node in math.iter(f"{MATHML}mo") if node.text == sign)
    return node.get("lspace"), node.get("rspace")


@pytest.mark.parametrize(
    ("tex", "sign", "expected"),
    [
        ("a = b", "=", ("0.2778em", "0.2778em")),  # thick: 5/18 em
        ("a - b", "−", ("0.2222em", "0.2222em")),  # medium: 4/18 em
        ("a = -b", "−", ("0", "0")),
        ("(-b)", "−", ("0", "0")),
        ("f(a, b)", ",", ("0", "0.1667em")),  # thin: 3/18 em
        ("x_{a+b}", "+", ("0", "0")),
        ("a/b", "/", ("0", "0")),
    ],
)
def test_signs_stand_off_as_in_the_texbook(tex: str, sign: str, expected: tuple[str, str]) -> None:
    assert _space(tex, sign) == expected


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\fraq{1}{2}", r"the command \fraq is unknown (did you mean \frac?)"),
        (r"\softmax", r"the command \softmax is unknown (did you mean \operatorname{softmax}?)"),
        (r"\mathsf{T}", r"the command \mathsf is unknown (did you mean \mathbf?)"),
        (r"\foo", r"the command \foo is unknown"),
        (r"\mathbf{12}", "12 has no bold form"),
        (r"\mathcal{1}", "1 has no script form"),
        (r"\frac{1}{2", "an opening brace { is never closed"),
        ("d_k}", "a closing brace } has no opening brace {"),
        ("x_i_j", "two subscripts follow each other without braces"),
        ("x^i^j", "two superscripts follow each other without braces"),
        (r"\left( x", r"\left and \right do not pair up"),
        (r"\frac{1}", r"\frac lacks an argument"),
        (r"\sqrt", r"a command lacks its argument"),
        (r"\begin{bmatrix} a", r"its \begin and \end do not pair up"),
        ("a & b", "an & stands outside a matrix"),
        ("a $ b", "a dollar sign stands inside it"),
        ("50 % of x", r"a % would hide what follows it, and is written \%"),
        (r"\newcommand{\a}{b}", r"\newcommand makes a macro, and a formula cannot keep one"),
        (r"\bigotimes x", "the sign ⨂ has no words to read it by"),
        (r"\href{a}{b}", "it asks for href, which cannot be set here"),
        (r"\color{red} x", "it asks for mathcolor, which cannot be set here"),
        (r"\quad", "it holds nothing but space"),
        (r"\begin{caes} a \end{caes}", r"there is no \begin{caes} (did you mean 'cases'?)"),
        ("{" * 40 + "}" * 40, "its braces lie too deep in each other"),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_sentence(tex: str, expected: str) -> None:
    with pytest.raises(FormulaError) as refusal:
        parse(tex, display=False)

    assert str(refusal.value) == f"the formula “{tex}” cannot be set: {expected}"


def test_an_empty_formula_is_refused() -> None:
    with pytest.raises(FormulaError, match="an empty formula cannot be set"):
        parse("  ", display=False)


def test_print_names_a_character_its_font_lacks() -> None:
    formula = parse(r"x \text{漢}", display=False)

    with pytest.raises(FormulaError, match=r"the font has no 漢$"):
        svg(formula, 10)


PIECES = r"""
    \frac \sqrt \sum \max \left( \right) \left. \right| { } _ ^ x p_i d_k 12 + - = < & | \| ( )
    [ ] , ; : ! ' \mathrm{softmax} \operatorname{E} \mathbb{E} \mathbf{Wx} \mathcal{N} \text{a<b&c}
    \begin{bmatrix} \end{bmatrix} \begin{cases} \end{cases} \\ \hat{x} \partial \top \foo \, \int
    \lim_{x\to0} \underbrace{x}_{y} \binom nk \color{red} % # ~ $ \% \{ \} " é 漢 \overline{x} \not
    \sqrt[3]{x} \limits \displaystyle \tfrac12 \big( \def \mathop{x} \substack{a\\b} \middle| / 0.5
    {,} \epsilon \style \verb|x| \boldsymbol{\mu} \mathsf{T}
"""


def _refusal(tex: str, *, display: bool) -> str | None:
    """Return why a formula is refused, by the reader or by print."""
    try:
        svg(parse(tex, display=display), 10)
    except FormulaError as error:
        return str(error)
    return None


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=8).map(" ".join), st.booleans())
def test_whatever_is_typed_is_set_in_all_forms_or_refused(tex: str, display: bool) -> None:
    if refusal := _refusal(tex, display=display):
        assert re.fullmatch(r"(the|an) [^\n]*[^\n.]", refusal)
    else:
        formula = parse(tex, display=display)
        drawn = svg(formula, 10)

        assert "\\" not in formula.spoken
        assert ET.fromstring(mathml(formula)).get("alttext") == formula.spoken
        assert min(drawn.width_em, drawn.height_em) > 0


# --- outlines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("display", [True, False])
@pytest.mark.parametrize("tex", [*SPOKEN, *MORE_SPOKEN])
def test_every_formula_is_drawn_with_a_size_and_no_ids(tex: str, display: bool) -> None:
    drawn = svg(parse(tex, display=display), 10.9)
    root = ET.fromstring(drawn.svg)

    assert drawn.width_em > 0
    assert drawn.height_em > 0
    assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {"svg", "path", "rect"}
    assert not any(node.get("id") for node in root.iter())


def _bounds(character: str) -> tuple[float, float]:
    """Return how far a glyph of STIX Two Math reaches below and above the baseline, in em."""
    font = TTFont(STIX)
    pen = BoundsPen(font.getGlyphSet())
    font.getGlyphSet()[font.getBestCmap()[ord(character)]].draw(pen)
    _, bottom, _, top = pen.bounds
    em = font["head"].unitsPerEm
    return bottom / em, top / em


@pytest.mark.parametrize(
    ("tex", "character"),
    [("x", "𝑥"), ("p", "𝑝"), ("k", "𝑘"), ("Q", "𝑄"), ("1", "1"), (r"\delta", "𝛿")],
)
def test_the_baseline_lies_where_the_font_has_it(tex: str, character: str) -> None:
    drawn = svg(parse(tex, display=False), 12)
    bottom, top = _bounds(character)

    assert drawn.depth_em == pytest.approx(-bottom, abs=0.002)
    assert drawn.height_em == pytest.approx(top - bottom, abs=0.002)


def test_a_subscript_reaches_below_the_baseline_and_a_superscript_does_not() -> None:
    plain, lowered, raised = (svg(parse(tex, display=False), 12) for tex in ("d", "d_k", "d^k"))

    assert lowered.depth_em > plain.depth_em + 0.1
    assert raised.depth_em == plain.depth_em
    assert lowered.height_em - lowered.depth_em == pytest.approx(
        plain.height_em - plain.depth_em, abs=0.001
    )


@pytest.mark.parametrize(("tex", "accent"), [(r"\hat{x}", "\u02c6"), (r"\tilde{x}", "\u02dc")])
def test_an_accent_is_the_small_sign_of_the_font_close_above_its_letter(
    tex: str, accent: str
) -> None:
    plain, accented = (svg(parse(each, display=False), 12) for each in ("x", tex))
    bottom, top = _bounds(accent)
    _, letter = _bounds("𝑥")
    gap = accented.height_em - plain.height_em - (top - bottom)

    assert bottom - letter < gap < 0.2
    assert accented.depth_em == plain.depth_em


def test_the_bar_of_a_root_joins_its_sign() -> None:
    root = ET.fromstring(svg(parse(r"\sqrt{d_k}", display=True), 12).svg)
    sign, bar = root.find("{*}path"), root.find("{*}rect")
    assert sign is not None
    assert bar is not None
    numbers = [float(text) for text in re.findall(r"-?[\d.]+", sign.get("d", ""))]

    assert min(numbers[::2]) < float(bar.get("x", "")) <= max(numbers[::2])
    assert float(bar.get("y", "")) == pytest.approx(min(numbers[1::2]), abs=0.05)


def test_color_and_size_are_the_arguments() -> None:
    formula = parse("d_k", display=False)
    small, large = svg(formula, 10, color="#141311"), svg(formula, 20, color="#141311")
    roots = [ET.fromstring(drawn.svg) for drawn in (small, large)]

    assert [root.get("fill") for root in roots] == ["#141311", "#141311"]
    assert [node.get("fill") for node in roots[0]] == [None] * len(roots[0])
    assert (large.width_em, large.depth_em) == (small.width_em, small.depth_em)
    widths = [float(root.get("width", "").removesuffix("pt")) for root in roots]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.02)
    assert widths[0] == pytest.approx(10 * small.width_em, abs=0.01)


DRAW_ALL = """
import hashlib, sys
from report.formula import parse, svg
for tex in sys.stdin.read().split("\\0"):
    for display in (True, False):
        drawn = svg(parse(tex, display=display), 10.9)
        print(hashlib.sha256(drawn.svg).hexdigest(), drawn.width_em, drawn.depth_em)
"""


@pytest.mark.slow
def test_two_other_processes_draw_the_same_bytes() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", DRAW_ALL],
            input="\0".join(order),
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed, order in (("1", list(SPOKEN)), ("2", list(reversed(SPOKEN))))
    ]

    assert len(runs[0]) == 2 * len(SPOKEN)
    assert sorted(runs[0]) == sorted(runs[1])


# --- the house -----------------------------------------------------------------------------------


def test_importing_the_module_loads_no_heavy_library() -> None:
    code = "import sys, report.formula; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()

    assert "report.formula" in loaded
    assert {"latex2mathml", "ziamath", "numpy", "lxml"} & set(loaded) == set()


def test_the_tables_of_words_agree_with_each_other() -> None:
    assert set(SAME_SIGN.values()) <= set(SIGNS)
    assert set(SAME_SIGN) & set(SIGNS) == set()
    assert set(FUNCTIONS) >= LIMIT_FUNCTIONS
