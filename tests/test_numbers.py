"""Numbers are printed truthfully, whatever they are."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from report import numbers
from report.numbers import Printer
from report.results import bind

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64).map(lambda x: float(f"{x:.9g}"))
DIGITS = st.integers(0, 9)


def _read(text: str) -> Decimal:
    """Read a printed number the way a person would."""
    return Decimal(text.replace("−", "-").replace(",", ""))


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (numbers.plain(8), "8"),
        (numbers.plain(-8.0), "−8"),
        (numbers.plain(0.125), "0.125"),
        (numbers.plain(1e-7), "0.0000001"),
        (numbers.plain(-0.0), "0"),
        (numbers.brief(8.0), "8"),
        (numbers.brief(0.0625), "0.0625"),
        (numbers.brief(11.3137085), "11.3"),
        (numbers.brief(2980.95799), "2,981"),
        (numbers.brief(-0.00033), "−0.00033"),
        (numbers.bare(2017), "2017"),
        (numbers.fixed(2.5, 0), "2"),
        (numbers.fixed(3.5, 0), "4"),
        (numbers.fixed(-0.004, 2), ">−0.01"),
        (numbers.fixed(0.0004, 3), "<0.001"),
        (numbers.fixed(0, 2), "0.00"),
        (numbers.fixed(12345.678, 1), "12,345.7"),
        (numbers.significant(2980.95799, 4), "2,981"),
        (numbers.significant(0.0179745, 2), "0.018"),
        (numbers.significant(9.96, 2), "10"),
        (numbers.significant(0.0996, 2), "0.10"),
        (numbers.significant(0, 3), "0.00"),
        (numbers.percent(0.0123, 1), "1.2%"),
        (numbers.percent(-0.05), "−5%"),
        (numbers.count(20000), "20,000"),
        (numbers.count(0), "0"),
        (numbers.words(20000), "twenty thousand"),
        (numbers.words(1024), "one thousand twenty-four"),
        (numbers.words(0), "zero"),
        (numbers.words(-8), "minus eight"),
        (numbers.words(21), "twenty-one"),
        (numbers.words(110), "one hundred ten"),
        (numbers.words(1_000_001), "one million one"),
        (
            numbers.words(999_999_999),
            "nine hundred ninety-nine million nine hundred ninety-nine"
            " thousand nine hundred ninety-nine",
        ),
        (numbers.about(13.8710), "about 14"),
        (numbers.about(1.73387), "about 1.7"),
        (numbers.about(14), "14"),
        (numbers.label(-0.5), "−0.5"),
        (numbers.label(0.1, 2), "0.10"),
        (numbers.label(10.0**5), "100,000"),
        (numbers.label(10.0**-4), "0.0001"),
        (numbers.scientific(1.10475e-7, 3), "1.10 × 10⁻⁷"),
        (numbers.weight(0.98169), "0.98"),
        (numbers.weight(0.0179803), "0.018"),
        (numbers.weight(0.00032932), "0.0003"),
        (numbers.weight(1.1e-7), "<0.0001"),
        (numbers.weight(0.0641), "0.06"),
        (numbers.weight(0.998), "0.998"),
        (numbers.weight(0.99999), ">0.9999"),
        (numbers.weight(1), "1"),
        (numbers.weight(0), "0"),
    ],
)
def test_each_printer_prints_as_its_docstring_says(printed: str, expected: str) -> None:
    assert printed == expected


_POWER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
ROUNDING = {  # every printer of numbers of any size, with the details it takes
    "plain": st.just(()),
    "brief": st.tuples(st.integers(1, 9)),
    "label": st.one_of(st.just(()), st.tuples(DIGITS)),
    "fixed": st.tuples(DIGITS),
    "significant": st.tuples(st.integers(1, 9)),
    "percent": st.tuples(DIGITS),
    "about": st.just(()),
    "scientific": st.tuples(st.integers(1, 9)),
}
PRINTING = st.sampled_from(sorted(ROUNDING)).flatmap(
    lambda how: ROUNDING[how].map(lambda details: (how, *details))
)


def _meant(printed: str) -> Decimal:
    """The number a person reads in whatever a printer printed, a bound as the number it names."""
    text = printed.removeprefix("about ").lstrip("<>")
    mantissa, _, power = text.removesuffix("%").partition(" × 10")
    share = Decimal(100) if text.endswith("%") else Decimal(1)
    return _read(mantissa).scaleb(int(power.translate(_POWER) or 0)) / share


@given(FINITE, PRINTING)
@example(-0.0, ("fixed", 2))
@example(-0.004, ("fixed", 2))
@example(-1e-9, ("percent", 0))
@example(5e-324, ("significant", 3))
@example(-5e-324, ("fixed", 3))
@example(1.79769313e308, ("percent", 2))
@example(-1.79769313e308, ("plain",))
def test_no_printer_loses_a_sign_or_turns_a_number_into_zero(
    value: float, printing: tuple[str, int]
) -> None:
    how, *details = printing
    printed = numbers.PRINTERS[how](value, *details)
    meant = _meant(printed)

    assert (meant > 0, meant < 0) == (value > 0, value < 0)
    assert printed.count("−") == (value < 0)
    assert "-" not in printed
    assert "e" not in printed.lower()
    assert printed[0] not in "<>" or 0 < abs(value) < abs(meant)


@given(FINITE, PRINTING)
def test_no_printer_is_off_by_more_than_half_of_its_last_digit(
    value: float, printing: tuple[str, int]
) -> None:
    how, *details = printing
    printed = numbers.PRINTERS[how](value, *details)
    error, kept = abs(_meant(printed) - Decimal(repr(value))), max(details, default=2)
    half = Decimal(10) ** -(kept + 2 * (how == "percent")) / 2

    if how == "plain" or (how == "label" and not details):
        assert error == 0
    elif how in {"fixed", "label", "percent"}:
        assert error <= (2 * half if printed[0] in "<>" else half)
    else:
        assert error <= abs(Decimal(repr(value))) * 10 * half


@given(st.integers(-(10**6), 10**6), st.integers(0, 3))
def test_halves_go_to_the_even_neighbor(whole: int, digits: int) -> None:
    """Ten of the last digits and a half: half of them would go up, were halves rounded up."""
    half, share = (float(Decimal(10 * whole + 5).scaleb(-digits - n)) for n in (1, 3))
    even = Decimal(whole + whole % 2).scaleb(-digits)

    if even:
        assert _read(numbers.fixed(half, digits)) == even
        assert _read(numbers.percent(share, digits).rstrip("%")) == even
    else:
        assert _read(numbers.fixed(half, digits).lstrip("<>")) == Decimal(1).scaleb(-digits) * (
            1 if half > 0 else -1
        )


@given(FINITE, st.integers(1, 9))
def test_a_power_of_ten_has_one_digit_before_its_point_and_as_many_as_asked(
    value: float, digits: int
) -> None:
    mantissa, _, _ = numbers.scientific(value, digits).lstrip("−").partition(" × 10")

    assert len(mantissa.replace(".", "")) == digits
    assert value == 0 or 1 <= Decimal(mantissa) < 10


@given(FINITE, st.integers(1, 9))
def test_brief_prints_exactly_where_so_few_digits_allow_it(value: float, digits: int) -> None:
    printed = numbers.brief(value, digits)
    few = len(Decimal(repr(value)).normalize().as_tuple().digits) <= digits

    assert not few or _read(printed) == Decimal(repr(value))
    assert few or printed in {numbers.plain(value), numbers.significant(value, digits)} | {
        numbers.significant(value, kept) for kept in range(digits, 10)
    }


@given(FINITE)
def test_about_is_said_of_what_was_rounded_and_of_nothing_else(value: float) -> None:
    printed = numbers.about(value)

    assert printed.startswith("about ") == (_meant(printed) != Decimal(repr(value)))


@given(st.floats(0, 1))
def test_a_weight_is_off_by_at_most_half_of_its_last_digit_or_says_on_which_side(
    value: float,
) -> None:
    printed = numbers.weight(value)
    stored, meant = Decimal(repr(value)), _meant(printed)

    if printed[0] in "<>":
        assert stored < meant if printed[0] == "<" else stored > meant
    else:
        assert abs(stored - meant) <= Decimal(10) ** -len(printed.partition(".")[2]) / 2


@given(FINITE.filter(lambda value: not 0 <= value <= 1))
def test_what_is_no_share_is_no_weight(value: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        numbers.weight(value)


@given(st.lists(FINITE, min_size=1, max_size=6), PRINTING)
def test_a_series_prints_each_number_as_its_printer_does(
    values: list[float], printing: tuple[str, int]
) -> None:
    how, *details = printing
    row = bind("row", values)
    printed = Printer().series(row, how, *details)
    each = [numbers.PRINTERS[how](value, *details) for value in values]

    assert printed == (" and ".join([", ".join(each[:-1]), each[-1]]) if each[1:] else each[0])


@given(FINITE)
def test_plain_prints_every_stored_digit(value: float) -> None:
    assert float(_read(numbers.plain(value))) == value


@given(st.integers(-(10**12), 10**12))
def test_a_count_reads_back_as_itself(value: int) -> None:
    assert int(_read(numbers.count(value))) == value


@given(st.integers(0, 10**9 - 1), st.integers(0, 10**9 - 1))
def test_no_two_numbers_are_spelled_alike(one: int, two: int) -> None:
    assert (numbers.words(one) == numbers.words(two)) == (one == two)


@given(st.floats(0, 1))
def test_a_weight_never_prints_as_zero_or_one_unless_it_is(value: float) -> None:
    printed = numbers.weight(value)

    assert (printed in {"0", "1"}) == (value in {0.0, 1.0})
    assert printed not in {"0.00", "0.000", "0.0000", "1.00", "1.000", "1.0000"}


@pytest.mark.parametrize(
    "bad", [float("nan"), float("inf"), float("-inf"), None, True, "8", [8], {}]
)
@pytest.mark.parametrize("how", sorted(numbers.PRINTERS))
def test_what_is_no_finite_number_is_refused_by_every_printer(how: str, bad: object) -> None:
    details = [2] if how in {"fixed", "significant", "scientific"} else []

    with pytest.raises(ValueError, match=r"expects|cannot print"):
        numbers.PRINTERS[how](bad, *details)


def test_a_fraction_is_no_count() -> None:
    with pytest.raises(ValueError, match=r"whole number, not 2\.5"):
        numbers.count(2.5)


def test_a_printer_remembers_what_it_printed_and_from_where() -> None:
    say = Printer()
    stored = bind("spread", {"at": {"64": {"sd": 7.978}}})
    printed = say.fixed(stored["at"]["64"]["sd"], 2)

    assert printed == "7.98"
    assert [(q.path, q.value, q.printed, q.how) for q in say.quotes] == [
        ("spread.at.64.sd", 7.978, "7.98", "fixed")
    ]


def test_a_strict_printer_refuses_a_number_that_nothing_stores() -> None:
    stored = bind("spread", {"sd": 8.0})

    with pytest.raises(ValueError, match="no result or parameter holds"):
        Printer(strict=True).fixed(stored["sd"] * 2, 2)


def test_a_strict_printer_lets_labels_through_and_remembers_them() -> None:
    say = Printer(strict=True)

    assert say.label(0.5) == "0.5"
    assert [(quote.path, quote.printed, quote.how) for quote in say.quotes] == [
        ("", "0.5", "label")
    ]


def test_a_series_is_said_as_people_say_it() -> None:
    say = Printer()

    assert say.series(bind("row", [8, 0, -8, 4])) == "8, 0, −8 and 4"
    assert say.series(bind("row", [0.5]), "fixed", 2) == "0.50"
    assert [quote.path for quote in say.quotes] == ["row.0", "row.1", "row.2", "row.3", "row.0"]


def test_an_error_names_the_place_of_the_number() -> None:
    with pytest.raises(ValueError, match=r"'count' expects a whole number.*\(spread\.sd\)"):
        Printer().count(bind("spread", {"sd": 8.5})["sd"])
