"""A PDF that is told against an earlier copy says what moved since, truly, and is made again from itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest

from report import verify
from report.errors import LONG, Mistake
from report.moved import READING
from report.pdf.attachments import PARAMETERS
from report.progress import Tell
from report.project import open_project, read_settings
from report.since import FEW, MOST, SINCE
from report.stages import Request
from report.status import stale_targets
from report.verify import remake
from report.verify.copied import copied
from report.verify.verdict import DIFFERS, VERIFIED, Verdict
from tests.builds import made_files, make
from tests.conftest import FILES, Here, Run, Tiny
from tests.doctor import attach, doctored, put, remove, rewrite
from tests.test_asking import LUCK

pytestmark = pytest.mark.slow  # each PDF is set, and told against another

TITLE = "Throws of a die"
NOTHING = "Nothing moved: the same words and numbers, the same claims and figures."


def _pdf(tiny: Tiny, **wishes: Any) -> Path:
    made = make(tiny, **wishes)
    return next(path for path, pages in made.summary.outputs if pages)


def _words(pdf: Path) -> str:
    """All that the pages say, read by another library."""
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    return " ".join(text.split())


def _said(pdf: Path) -> str:
    """What the page about the copy says."""
    return _words(pdf).rpartition("Since your copy")[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A small project that claims what depends on the seed, built once."""
    tiny = Tiny(tmp_path_factory.mktemp("since") / "tiny")
    for name, text in FILES.items():
        tiny.write(name, text)
    tiny.write("figures/roll.py", FILES["figures/roll.py"] + LUCK)
    lean = "\nThe mean is {% claim roll.high %}high{% else %}low{% endclaim %}.\n"
    tiny.write("templates/article.md", FILES["templates/article.md"] + lean)
    return tiny


@pytest.fixture(scope="module")
def old(world: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy that somebody keeps."""
    copy = tmp_path_factory.mktemp("kept") / "old.pdf"
    copy.write_bytes(_pdf(world).read_bytes())
    return copy


@pytest.fixture(scope="module")
def new(world: Tiny, old: Path) -> Path:
    """An edition of another seed that is told against it."""
    return _pdf(world, overrides={"seed": 8}, since=copied(old, TITLE))


def _verified(pdf: Path, tiny: Tiny) -> Verdict:
    return verify.verify(pdf, open_project(tiny.root), lambda _: Here(), Tell())


# What the page says


def test_the_page_says_which_copy_it_was_and_what_moved_as_both_pdfs_print_it(
    old: Path, new: Path
) -> None:
    said = _said(new)
    means = [
        re.search(r'"means":\{"10":([\d.]+)', _compact(pdf, "roll.json")) for pdf in (old, new)
    ]
    was, now = (f"{float(mean[1]):.2f}" for mean in means if mean)

    assert was != now
    assert "Your copy was made from seed 11 and is article version 1.0 of 2026-01-02" in said
    assert "this one is made from seed 8" in said
    assert f"{was} → {now}" in said
    assert re.search(r"1 claim flipped roll\.high (now|no longer) holds", said)
    assert "1 figure changed Figure 1" in said
    assert NOTHING not in said


def _compact(pdf: Path, name: str) -> str:
    return json.dumps(_attached(pdf, name), separators=(",", ":"))


def _attached(pdf: Path, name: str) -> Any:
    with pikepdf.open(pdf) as document:
        return json.loads(document.attachments[name].get_file().read_bytes())


def test_the_first_page_leads_to_it(new: Path) -> None:
    pages = pypdf.PdfReader(new).pages

    assert f"Changed since your copy, page {len(pages)}" in " ".join(
        pages[0].extract_text().split()
    )


def test_each_section_is_told_with_its_page_in_the_copy_and_here(world: Tiny, old: Path) -> None:
    text = world.read("templates/article.md")
    before = "".join(f"A paragraph, the {n}th, about dice.\n\n" for n in range(120))
    added = text.replace("## Throws", f"## Before {{#before}}\n\n{before}## Throws")
    world.write("templates/article.md", added)
    pdf = _pdf(world, since=copied(old, TITLE))
    world.write("templates/article.md", text)
    reader = pypdf.PdfReader(pdf)
    begins = {
        name: (reader.get_destination_page_number(place) or 0) + 1
        for name, place in reader.named_destinations.items()
    }

    assert begins["throws"] > 1
    assert f"Before not there {begins['before']} Throws 1 {begins['throws']}" in _said(pdf)


def test_a_copy_of_the_very_same_is_answered_in_one_sentence(world: Tiny, old: Path) -> None:
    said = _said(_pdf(world, since=copied(old, TITLE)))

    assert NOTHING in said
    assert "moved since" not in said
    assert "→" not in said


ASIDE = """
Means stray, [^aside] as [](#roll) shows.

[^aside]: Beside the text, a die has {{ dice.sides | count }} sides.

The width $d_k$ is {{ dice.sides | count }}, and $\\frac{1}{d_k}$ is less.

## On one page {#one-page}

:::: summary
### Links {#links}

In brief, a die has {{ dice.sides | count }} sides.
::::
"""


@pytest.fixture(scope="module")
def wider(world: Tiny, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the page says of an edition with another parameter alone, a summary, a note and formulas."""
    text, copy = world.read("templates/article.md"), tmp_path_factory.mktemp("wider") / "old.pdf"
    world.write("templates/article.md", text + ASIDE)
    copy.write_bytes(_pdf(world).read_bytes())
    said = _said(_pdf(world, overrides={"dice.sides": 8}, since=copied(copy, TITLE)))
    world.write("templates/article.md", text)
    return said


def test_an_edition_that_differs_in_a_parameter_alone_says_which(wider: str) -> None:
    assert wider.startswith(
        " Your copy and this one are both made from seed 11, and both are article version 1.0 of "
        "2026-01-02. Their parameters differ: dice.sides 6 → 8."
    )


def test_formulas_are_set_as_in_the_text_or_spoken_and_never_shown_as_tex(wider: str) -> None:
    assert "6 → 8 in “The width dk is 8, and 1 over d" in wider
    assert "$" not in wider
    assert "frac" not in wider


def test_the_summary_is_told_before_the_text_and_the_text_before_drawings_and_notes(
    wider: str,
) -> None:
    told = ["In brief, a die has", "The width", "alt text", "Beside the text"]

    assert sorted(told, key=wider.index) == told


# What it is made of


def test_equal_copies_give_equal_bytes_and_without_one_the_pdf_is_as_ever(
    world: Tiny, old: Path
) -> None:
    before, since = made_files(world), copied(old, TITLE)
    one = _pdf(world, since=since, fresh=True).read_bytes()
    other = _pdf(world, since=since, fresh=True).read_bytes()
    again = _pdf(world).read_bytes()

    assert one == other
    assert again == old.read_bytes() != one
    assert made_files(world).keys() == before.keys()


def test_a_pdf_is_set_again_for_another_copy_and_says_so(world: Tiny, old: Path, new: Path) -> None:
    _pdf(world)
    told = make(world, since=copied(old, TITLE))
    same = make(world, since=copied(old, TITLE))
    other = make(world, since=copied(new, TITLE))
    project = open_project(world.root)
    stale = stale_targets(Request(project, read_settings(project)))

    assert told.ran == ["paper a4"]
    assert told.why("PDF") == other.why("PDF") == "it is compared with another copy"
    assert same.ran == []
    assert stale == {"paper a4": ["it was compared with another copy"]}


# Verified


def test_it_is_verified_from_itself_alone(world: Tiny, new: Path) -> None:
    verdict = _verified(new, world)

    assert (verdict.status, verdict.same_bytes) == (VERIFIED, True)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (attach(SINCE, put('"seed":11', '"seed":12')), f"{SINCE} was changed"),
        (attach(SINCE, put('"seed":11', '"seed":[]'), listed=True), f"{SINCE} is damaged"),
        (remove(SINCE), f"{SINCE} was removed"),
        (rewrite("from seed 11", "from seed 17"), "seed 17"),
    ],
    ids=["data", "no data", "removed", "page"],
)
def test_doctored_it_is_found_out(
    change: Any,
    found: str,
    world: Tiny,
    new: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify, "remade", lambda *_: remake.read(new))  # as another test proves
    verdict = _verified(doctored(new, tmp_path / "doctored.pdf", change), world)

    assert verdict.status == DIFFERS
    assert found in "\n".join(verdict.lines())


def test_a_copy_that_was_exchanged_whole_does_not_make_the_page_that_is_there(
    world: Tiny, new: Path, tmp_path: Path
) -> None:
    change = attach(SINCE, put('"seed":11', '"seed":12'), listed=True)
    verdict = _verified(doctored(new, tmp_path / "doctored.pdf", change), world)

    assert verdict.status == DIFFERS
    assert "made from seed 11" in "\n".join(verdict.lines())


# Copies that are none, and those of strangers


def test_a_file_that_is_no_earlier_copy_is_refused_in_one_sentence_and_nothing_is_touched(
    world: Tiny, old: Path, tmp_path: Path, run: Run
) -> None:
    _pdf(world)
    before = made_files(world)
    cases = {
        "absent.pdf": "cannot be read: No such file or directory",
        "text.pdf": "this is no PDF",
        "folder.pdf": "cannot be read",
        "device.pdf": "cannot be read: it is no file",
        "cut.pdf": "",
        "bare.pdf": f"it carries no {READING}",
        "damaged.pdf": f"its {READING} is damaged",
        "older.pdf": "made by another version of the generator",
        "other.pdf": "a copy of another article, “Throws of a coin”",
    }
    (tmp_path / "text.pdf").write_text("no PDF")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "device.pdf").symlink_to("/dev/zero")
    (tmp_path / "cut.pdf").write_bytes(old.read_bytes()[:9000])
    doctored(old, tmp_path / "bare.pdf", remove(READING))
    doctored(
        old, tmp_path / "damaged.pdf", attach(READING, put('"sentences":[', '"sentences":[1,'))
    )
    doctored(old, tmp_path / "older.pdf", attach(READING, lambda text: _as_format(text, 1)))
    doctored(old, tmp_path / "other.pdf", attach("versions.json", put("a die", "a coin")))
    for name, sentence in cases.items():
        status, out, err = run(
            "build", "--project", world.root, "--since", tmp_path / name, "--seed", "9"
        )

        assert (status, out) == (2, ""), name
        assert name in err
        assert sentence in err
        assert err.count("\n") == 1
    assert made_files(world) == before


def _as_format(text: str, number: int) -> str:
    return json.dumps(json.loads(text) | {"format": number})


def test_what_a_stranger_wrote_is_printed_as_it_stands_and_no_longer_than_a_line(
    world: Tiny, old: Path, tmp_path: Path
) -> None:
    hostile = "<b>{{ seed }}</b>\x07 & " + "x → y " * 500

    def edit(text: str) -> str:
        told = json.loads(text)
        told["sentences"] += [
            {"section": f"gone{n}-{'z' * 9999}", "part": "", "text": hostile, "numbers": []}
            for n in range(2 * MOST)
        ]
        told["claims"][f"<i>{'y' * 9999}"] = told["claims"]["roll.high"]
        return json.dumps(told)

    def set_all(text: str) -> str:
        more = {f"x{n}": hostile for n in range(FEW + 3)}
        return json.dumps(json.loads(text) | {"dice": {"sides": 6, **more}})

    changes = attach(READING, edit), attach(PARAMETERS, set_all)
    copy = doctored(old, tmp_path / "hostile.pdf", *changes)
    said = _said(_pdf(world, since=copied(copy, TITLE)))

    assert "<b>{{ seed }}</b>? & x" in said
    assert "<i>yyy" in said
    assert f"and {MOST} more; report diff OLD NEW tells all." in said
    assert "→ not there; and 3 more." in said
    assert max(map(len, re.findall("[yz]+", said))) <= LONG
    assert len(said) < 4 * LONG * MOST


def test_no_experiment_may_bear_its_name(tiny: Tiny) -> None:
    tiny.write("figures/since.py", FILES["figures/faces.py"])

    with pytest.raises(Mistake, match=re.escape("'since'")):
        make(tiny)


def test_the_command_line_takes_a_copy_even_if_it_is_the_very_file_that_is_made(
    world: Tiny, run: Run
) -> None:
    pdf = _pdf(world)
    status, _, err = run("build", "--project", world.root, "--since", pdf)

    assert (status, err) == (0, "")
    assert NOTHING in _said(pdf)
    assert _attached(pdf, SINCE)["seed"] == 11
