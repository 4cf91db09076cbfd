"""A claim that the results do not bear is never printed as if it held."""

from pathlib import Path

import pytest

from report import binding, marks
from report.binding import Bound
from report.claims import Claim, Ledger
from report.errors import Mistake

LEDGER = Ledger(
    (
        Claim("spread", "within_band", "Every variance is within 5%.", True, "worst 3.4% at 8"),
        Claim("spread", "no_miss", "No interval misses.", False, "1 of 9 misses"),
    )
)
MORE = Ledger(
    (
        *LEDGER.claims,
        Claim("spread", "grows", "Every step goes up.", True, "9 of 9"),
        Claim("spread", "at_one", "Every spread is one.", False, "up to 1.2"),
    )
)


def _bind(text: str, tmp_path: Path) -> tuple[str, Bound]:
    bound = Bound(MORE)
    template = binding.Template(tmp_path, "article.md", text, 1, lambda path: path.name)
    return binding.render(template, bound, {}), bound


def _words(text: str) -> str:
    return marks.replace(text, lambda _kind, _index: "")


def test_words_that_lean_on_a_claim_that_holds_are_printed() -> None:
    text, bound = _bind(
        "a {% claim spread.within_band %}true{% else %}false{% endclaim %} b", Path()
    )

    assert _words(text) == "a true b"
    assert [(use.claim.path, use.shown) for use in bound.uses] == [("spread.within_band", "borne")]


def test_where_a_claim_fails_the_author_s_other_words_stand(tmp_path: Path) -> None:
    text, bound = _bind(
        "{% claim spread.no_miss %}none misses{% else %}some miss{% endclaim %}", tmp_path
    )

    assert _words(text) == "some miss"
    assert [use.shown for use in bound.uses] == ["otherwise"]


def test_where_a_claim_fails_and_no_other_words_are_given_the_words_are_marked(
    tmp_path: Path,
) -> None:
    text, bound = _bind("{% claim spread.no_miss %}none misses{% endclaim %}", tmp_path)

    assert _words(text) == "none misses"
    assert [use.shown for use in bound.uses] == ["unborne"]


@pytest.mark.parametrize(
    ("paths", "words", "leaned"),
    [
        ("spread.within_band and spread.grows", "both", ["spread.within_band", "spread.grows"]),
        ("spread.grows and spread.no_miss", "others", ["spread.no_miss"]),
        ("spread.no_miss and spread.grows", "others", ["spread.no_miss"]),
        ("spread.no_miss and spread.at_one", "others", ["spread.no_miss"]),
    ],
)
def test_words_that_lean_on_several_claims_are_printed_where_all_hold(
    paths: str, words: str, leaned: list[str], tmp_path: Path
) -> None:
    text, bound = _bind(f"{{% claim {paths} %}}both{{% else %}}others{{% endclaim %}}", tmp_path)

    assert _words(text) == words
    assert [use.claim.path for use in bound.uses] == leaned
    assert len(marks.found(text, marks.CLAIM)) == len(marks.found(text, marks.CLAIM_END))
    assert len(marks.found(text, marks.CLAIM)) == len(leaned)


def test_an_unknown_claim_names_the_nearest_one_and_the_line(tmp_path: Path) -> None:
    with pytest.raises(Mistake) as caught:
        _bind("x\n{% claim spread.within_bnd %}y{% endclaim %}", tmp_path)

    assert (
        "no experiment claims 'spread.within_bnd' (did you mean 'spread.within_band'?)"
        in caught.value.what
    )
    assert caught.value.line == 2


def test_a_whole_block_may_be_chosen_by_a_claim(tmp_path: Path) -> None:
    text, _ = _bind("{% if holds('spread.no_miss') %}A{% else %}B{% endif %}", tmp_path)

    assert text == "B"


@pytest.mark.parametrize(
    ("ledger", "says"),
    [
        (LEDGER, "1 claim holds, 1 does not: spread.no_miss (1 of 9 misses)"),
        (Ledger(LEDGER.claims[:1]), "1 claim holds"),
        (Ledger(LEDGER.claims[1:] * 2), "0 claims hold, 2 do not: spread.no_miss"),
    ],
)
def test_the_summary_counts_what_holds_and_names_what_does_not(ledger: Ledger, says: str) -> None:
    assert ledger.summary().startswith(says)
