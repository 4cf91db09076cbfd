"""A doctored PDF is found out, and what is doctored is named; a sound one is verified."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest

from report import verify
from report.__main__ import main
from report.build import build
from report.progress import Tell
from report.project import Project, open_project, read_settings
from report.stages import Request
from report.verify import compare, remake
from report.verify.carried import Judged
from report.verify.ink import Mark
from report.verify.remake import Finished
from report.verify.sight import Block, Sight, squeezed
from report.verify.verdict import DIFFERS, UNKNOWN, VERIFIED, Verdict
from report.verify.ways import Ways
from tests import doctor
from tests.conftest import FILES, SEEDS, Here, Tiny
from tests.doctor import add, attach, doctored, put, remove, rewrite


def _make(tiny: Tiny, overrides: dict[str, Any] | None = None, **wishes: Any) -> Path:
    """Build a project in this process; give its PDF."""
    project = open_project(tiny.root)
    made = build(Request(project, read_settings(project, overrides), **wishes), Here(), Tell())
    return next(path for path, pages in made.outputs if pages)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The PDF of a small project that was built once."""
    tiny = Tiny(tmp_path_factory.mktemp("verify") / "tiny")
    for name, text in FILES.items():
        tiny.write(name, text)
    return _make(tiny)


@pytest.fixture(scope="module")
def project(sound: Path) -> Project:
    """The project it was built from."""
    return open_project(sound.parent.parent)


@pytest.fixture(scope="module")
def again(sound: Path) -> Finished:
    """What its sources make again: the same bytes, as the first test proves."""
    return remake.read(sound)


def _verified(pdf: Path, project: Project, *, quick: bool = False) -> Verdict:
    return verify.verify(pdf, project, lambda _: Here(), Tell(), quick=quick)


def _told(verdict: Verdict) -> str:
    return "\n".join(verdict.lines())


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture
def check(again: Finished, project: Project, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Verify a PDF against the one that was made again before."""
    monkeypatch.setattr(verify, "remade", lambda *_: again)
    return lambda pdf: _verified(pdf, project)


# A sound PDF


def test_what_is_seen_of_a_pdf_is_what_another_reader_finds_on_its_pages(sound: Path) -> None:
    seen = remake.read(sound).sight
    ours = [Counter(squeezed("".join(map(_text, (*page.told, *page.rest))))) for page in seen.pages]
    theirs = [Counter(squeezed(page.extract_text())) for page in pypdf.PdfReader(sound).pages]

    assert ours == theirs
    assert {text for page in seen.pages for text in map(_text, page.rest) if text.strip()} == {
        "Throws", "CC0", "1 / 2", "2 / 2",
    }  # fmt: skip


def _text(mark: Mark) -> str:
    return mark.text


def test_an_untouched_pdf_is_verified_at_every_level_and_nothing_of_the_project_is_touched(
    sound: Path, project: Project
) -> None:
    before = _files(project.root)
    verdict = _verified(sound, project)

    assert verdict.status == VERIFIED
    assert (verdict.same_bytes, verdict.report, verdict.contradictions) == (True, [], [])
    assert _told(verdict).count("as here") == 4
    assert "2 of 2 results within 1e-06" in _told(verdict)
    assert _files(project.root) == before


@pytest.mark.parametrize(
    "way",
    [
        "linearize",
        *(
            pytest.param(way, marks=pytest.mark.slow)
            for way in ("qdf", "normalize_content", "compress_streams")
        ),
    ],
)
def test_a_pdf_that_was_merely_saved_again_has_other_bytes_and_no_difference(
    sound: Path, tmp_path: Path, check: Any, way: str
) -> None:
    again, ways = tmp_path / "again.pdf", dict[str, Any]({way: way != "compress_streams"})
    with pikepdf.open(sound) as document:
        document.docinfo.Producer = "Another program"
        document.save(again, object_stream_mode=pikepdf.ObjectStreamMode.disable, **ways)
    verdict = check(again)

    assert verdict.status == VERIFIED
    assert verdict.same_bytes is False
    assert "the bytes differ, but nothing that a reader sees does" in _told(verdict)


# A doctored one

MEANS = "roll.means.20"
CHANGES: dict[str, tuple[list[doctor.Change], list[str]]] = {
    "a stored digit": (
        [attach("faces.json", put("0.166666667", "0.166666767"))],
        ["faces.json was changed", "faces.share is 0.166666767 in the attachment"],
    ),
    "a stored digit that is printed": (
        [attach("faces.json", put("0.166666667", "0.266666667"))],
        ["faces.share is 0.266666667 in the attachment and prints 0.267, but “0.167” is told"],
    ),
    "a stored digit within the tolerance, and its fingerprint": (
        [attach("faces.json", put("0.166666667", "0.166666767"), listed=True)],
        [
            "faces.share is 0.166666767 in the attachment, a page says 0.166666667",
            "2 of 2 results within 1e-06, 1 of them not digit for digit",
        ],
    ),
    "a stored digit that is printed nowhere, and its fingerprint": (
        [attach("roll.json", put('"scale": 1.5', '"scale": 1.50001'), listed=True)],
        ["roll.scale: 1.50001 in the PDF, 1.5 here"],
    ),
    "a drawn number": (
        [rewrite("0.167", "0.761", "/Figure")],
        [
            "faces, page 1, draws “0.761”, reading.json tells “0.167”",
            "faces, page 1: draws “0.761” in the PDF, “0.167” here",
        ],
    ),
    "a printed number": (
        [rewrite("0.167.", "0.176.")],
        [
            "page 1 says “…with 6 sides shows each with a share of 0.176.”, reading.json tells",
            "page 1: “…with 6 sides shows each with a share of 0.176.” in the PDF, “…with",
        ],
    ),
    "a sentence": (
        [rewrite("Each mark is one mean", "Each mark is no means")],
        ["page 1: “Each mark is no means.” in the PDF, “Each mark is one mean.” here"],
    ),
    "a result removed": ([remove("roll.json")], ["roll.json was removed"]),
    "a record removed": ([remove("versions.json")], ["versions.json was removed"]),
    "what it tells removed": ([remove("reading.json")], ["reading.json was removed"]),
    "a parameter": (
        [attach("parameters.json", put('"sides": 6', '"sides": 8'))],
        ["dice.sides: 8 in the PDF, 6 here", "dice.sides is 8 in the attachment and prints 8, but"],
    ),
    "parameters removed": (
        [remove("parameters.json")],
        ["parameters.json was removed", "those here: its own cannot be read"],
    ),
    "a stored number that is none any more": (
        [attach("faces.json", put("0.166666667", "[0]"))],
        ["faces.share is [0] in the attachment and prints nothing", "faces.share: [0] in the PDF"],
    ),
    "a stored number beyond all others": (
        [attach("roll.json", put('"scale": 1.5', '"scale": 1' + "0" * 400), listed=True)],
        ["roll.scale: 1000"],
    ),
    "a stored number taken away": (
        [attach("faces.json", put('"share"', '"part"'))],
        ["faces.share is told in “A die with 6 sides", "faces.share: nothing in the PDF"],
    ),
    "an attachment that is no text": (
        [
            lambda document: document.attachments.__setitem__(
                "roll.json", pikepdf.AttachedFileSpec(document, b"\xff\xfe")
            )
        ],
        ["roll.json is damaged"],
    ),
    "a damaged attachment": (
        [attach("roll.json", put("{", "["))],
        ["roll.json is damaged", "roll: the PDF carries no numbers of it"],
    ),
    "a file added": ([add("more.txt", "more")], ["more.txt was added"]),
    "what it tells": (
        [attach("reading.json", put("share of 0.167", "share of 0.176"))],
        [
            "reading.json was changed",
            "reading.json tells “…with 6 sides shows each with a share of 0.176",
        ],
    ),
    "what it tells of what is not printed": (
        [attach("reading.json", put('"section":"throws"', '"section":"rolls"'), listed=True)],
        ['.section: "rolls" in the PDF, "throws" here'],
    ),
    "a version that is recorded": (
        [attach("versions.json", put('"matplotlib": "', '"matplotlib": "9'))],
        ["versions.json says matplotlib 9"],
    ),
    "the article's version": (
        [attach("versions.json", put('"version": "1.0"', '"version": "2.0"'))],
        ['versions.json: article.version: "2.0" in the PDF, "1.0" here'],
    ),
    "the length of a bar": (
        [doctor.edit_page(b"73.33 10 l", b"93.33 10 l")],
        ["faces, page 1: its words are as here, but a line, a letter or a place in it is not"],
    ),
    "what is said for a figure": (
        [doctor.describe("the first lies at", "the first is not at")],
        ["roll, page 1, is described by “…", "roll, page 1: described by “…"],
    ),
    "shapes of letters": (
        [doctor.swap_shapes("6", "1")],
        ["“1”, “6” are not drawn as they are here, first on page 1 in “"],
    ),
    "paint over it": (
        [doctor.paint(b"q 1 1 1 rg 60 500 300 40 re f Q")],
        ["page 1: something outside its text is drawn otherwise"],
    ),
    "words moved out of sight": (
        [doctor.paint(b"1 0 0 1 900 0 cm", first=True)],
        ["page 1 is laid out otherwise"],
    ),
    "a link": (
        [doctor.lead_links_to("https://example.org/")],
        ["a link: leads to “https://example.org/” in the PDF, “https://creativecommons.org/"],
    ),
    "a note laid over it": (
        [doctor.lay_over("Retracted")],
        ["Retracted", "a note laid over it is in the PDF, and not here"],
    ),
    "its title": (
        [doctor.retitle("Another")],
        ["its properties: /Title “Another” in the PDF, “Throws of a"],
    ),
}


FIRST = {
    "a stored digit",
    "a drawn number",
    "a printed number",
    "a sentence",
    "a result removed",
    "a parameter",
    "shapes of letters",
    "paint over it",
}


@pytest.mark.parametrize(
    "change",
    [pytest.param(c, marks=[] if c in FIRST else [pytest.mark.slow]) for c in CHANGES],
)
def test_what_is_doctored_is_named(sound: Path, tmp_path: Path, check: Any, change: str) -> None:
    changes, named = CHANGES[change]
    verdict = check(doctored(sound, tmp_path / "doctored.pdf", *changes))

    assert verdict.status == DIFFERS
    assert [each for each in named if each not in _told(verdict)] == []


def test_only_what_is_doctored_is_named(sound: Path, tmp_path: Path, check: Any) -> None:
    pdf = doctored(sound, tmp_path / "doctored.pdf", rewrite("0.167", "0.761", "/Figure"))
    verdict = check(pdf)

    assert [each.kind for each in verdict.contradictions] == ["figure"]
    assert [each.kind for each in verdict.report] == ["figure"]
    assert verdict.numbers.differ == {}


def test_a_sentence_is_quoted_without_what_stands_above_it_on_the_page_before() -> None:
    def sight(said: str) -> Sight:
        blocks = [
            Block(1, text="Bars. The project, CC BY 4.0"),
            Block(2, text=f"{said} They do so by  chance, as a mean of few throws goes."),
            Block(2, text=" [x equals y] "),
            Block(2, text="Then"),
        ]
        return Sight(blocks, [], [], [], Ways({}, [], [], [], []))

    [found] = compare.sentences(sight("Means do stray."), sight("Means stray."), {})

    assert str(found) == "sentence    page 2: “Means do stray.” in the PDF, “Means stray.” here"
    assert [each.page for each in sight("Means stray.").sentences] == [1, 1, 2, 2, 2, 2]


def test_a_claim_that_differs_is_told_by_what_differs_in_it() -> None:
    claim = Judged(holds=True, sentence="It is high.", evidence="3.6", tally="9 of 9 seeds")
    theirs = {"a": replace(claim, holds=False), "b": replace(claim, tally="8 of 9 seeds")}

    assert [*map(str, verify.claims({**theirs, "c": claim}, {"a": claim, "b": claim}))] == [
        "claim       a does not hold (3.6) in the PDF, holds (3.6) here",
        'claim       b.tally: "8 of 9 seeds" in the PDF, "9 of 9 seeds" here',
        "claim       c holds (3.6) in the PDF, is not made here",
    ]


# Made elsewhere, or from something else

ELSEWHERE = [  # made and printed by another numpy, which lays the words out a little lower
    attach("versions.json", put('"numpy": "2.', '"numpy": "1.')),
    rewrite("numpy 2.", "numpy 1."),
    doctor.paint(b"1 0 0 1 0 -0.5 cm", first=True),
]


def test_other_versions_and_the_layout_they_make_are_told_and_do_no_harm(
    sound: Path, tmp_path: Path, check: Any
) -> None:
    verdict = check(doctored(sound, tmp_path / "elsewhere.pdf", *ELSEWHERE))

    assert verdict.status == VERIFIED
    assert "numpy 1." in _told(verdict)
    assert "Other versions of libraries lay 1 page out otherwise." in _told(verdict)


@pytest.mark.parametrize(
    "change", ["a stored digit", "a drawn number", "a sentence", "a note laid over it"]
)
def test_what_is_doctored_is_named_also_where_other_versions_made_other_bytes(
    sound: Path, tmp_path: Path, check: Any, change: str
) -> None:
    changes, named = CHANGES[change]
    verdict = check(doctored(sound, tmp_path / "elsewhere.pdf", *ELSEWHERE, *changes))

    assert verdict.status == DIFFERS
    assert [each for each in named if each not in _told(verdict)] == []


def test_the_same_layout_is_asked_of_the_same_versions(
    sound: Path, tmp_path: Path, check: Any
) -> None:
    verdict = check(doctored(sound, tmp_path / "moved.pdf", ELSEWHERE[-1]))

    assert [(each.kind, each.page) for each in verdict.report] == [("layout", 1)]


def test_sources_that_are_otherwise_here_are_named_and_comments_do_not_count(
    sound: Path, tmp_path: Path, again: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "remade", lambda *_: again)
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")
    here.edit("figures/deeper.py", "    return float", "    # why\n    return float")
    here.edit("figures/chance.py", "/ len(values)", "/ max(1, len(values))")
    here.edit("templates/article.md", "A small article.", "A short article.")
    here.edit("seeds.toml", "sides = 6", "sides = 8  # more")
    verdict = _verified(sound, open_project(here.root))

    assert "here differ figures/chance.py, templates/article.md\n" in _told(verdict)
    assert "seed 11; dice.sides: 6 in the PDF, 8 here" in _told(verdict)
    assert verdict.status == VERIFIED  # by what it was made of, which a stand-in made again


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides", [{}, {"seed": 7}, {"roll.throws": [5], "faces.label": "side"}]
)
def test_a_pdf_is_made_again_with_its_own_seed_and_parameters(
    sound: Path, tmp_path: Path, overrides: dict[str, Any]
) -> None:
    there = Tiny(sound.parent.parent).copy(tmp_path / "there")
    there.edit("seeds.toml", "seed = 11", "seed = 12")
    there.edit("seeds.toml", "scale = 1.5", "scale = 2.5")
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")
    head, *sections = SEEDS.split("\n\n")
    here.write("seeds.toml", "\n\n".join([head, *reversed(sections)]))
    verdict = _verified(_make(there, overrides), open_project(here.root))

    assert verdict.status == VERIFIED
    assert verdict.same_bytes
    assert "roll.scale: 2.5 in the PDF, 1.5 here" in _told(verdict)


@pytest.mark.slow
def test_a_pdf_on_letter_is_made_again_on_letter(sound: Path, tmp_path: Path) -> None:
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")
    verdict = _verified(_make(here, paper="letter"), open_project(here.root))

    assert verdict.same_bytes


@pytest.mark.slow
def test_numbers_that_other_sources_make_are_named_by_path(sound: Path, tmp_path: Path) -> None:
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")
    here.edit("figures/faces.py", "1 / sides", "2 / sides")
    verdict = _verified(sound, open_project(here.root))

    assert verdict.status == DIFFERS
    assert verdict.contradictions == []
    assert "faces.share: 0.166666667 in the PDF, 0.333333333 here" in _told(verdict)
    assert (
        "share of 0.167.” in the PDF, “…with 6 sides shows each with a share of 0.333.” here"
        in (_told(verdict))
    )
    assert verify.OTHER_SOURCES in _told(verdict)


def test_parameters_that_the_sources_refuse_are_found_and_leave_the_question_open(
    sound: Path, tmp_path: Path, project: Project
) -> None:
    changed = attach("parameters.json", put('"sides": 6', '"sides": 1'), listed=True)
    refused = _verified(doctored(sound, tmp_path / "refused.pdf", changed), project)

    assert "the sources here do not make it again: " in "".join(refused.unmet)
    assert refused.status == DIFFERS  # since its pages and results know another number
    assert (refused.same_bytes, refused.numbers, refused.report) == (None, None, None)


# Without running anything


def _nobody(_cache: Path) -> Here:
    raise AssertionError("nothing may be run")


def _quickly(pdf: Path, root: Path) -> Verdict:
    return verify.verify(pdf, open_project(root), _nobody, Tell(), quick=True)


def test_a_quick_check_compares_with_what_was_built_and_says_that_nothing_was_run(
    sound: Path, tmp_path: Path, project: Project
) -> None:
    changes, named = CHANGES["a drawn number"]
    verdict = _quickly(sound, project.root)
    found = _quickly(doctored(sound, tmp_path / "doctored.pdf", *changes), project.root)

    assert verdict.status == VERIFIED
    assert _told(verdict).splitlines()[-1].startswith("AGREES with what was built here; nothing")
    assert found.status == DIFFERS
    assert [each for each in named if each not in _told(found)] == []


UNBUILT: dict[str, tuple[Callable[[Tiny], None], str]] = {
    "nothing was built": (
        lambda here: shutil.rmtree(here.path("build")),
        "no PDF with its parameters lies here, so no page was compared",
    ),
    "a result is gone": (
        lambda here: here.path("figures/roll.json").unlink(),
        "no result lies here for roll",
    ),
    "other parameters": (
        lambda here: here.edit("seeds.toml", "sides = 6", "sides = 8"),
        "nothing here was made with its parameters (dice.sides: 6 in the PDF, 8 here)",
    ),
    "other sources": (
        lambda here: here.edit("templates/article.md", "A small article.", "A short article."),
        "the PDF that lies here was made by other sources; run `report build`",
    ),
}


@pytest.mark.parametrize("change", UNBUILT)
def test_a_quick_check_never_passes_what_it_could_not_compare(
    sound: Path, tmp_path: Path, change: str
) -> None:
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")
    edit, unmet = UNBUILT[change]
    edit(here)
    verdict = _quickly(sound, here.root)

    assert verdict.status == UNKNOWN
    assert verdict.unmet == [unmet]
    assert _told(verdict).endswith("NOT VERIFIED: not all of it could be compared.")


@pytest.mark.slow
def test_a_quick_check_finds_what_was_built_with_the_overrides_of_the_pdf(
    sound: Path, tmp_path: Path
) -> None:
    here = Tiny(sound.parent.parent).copy(tmp_path / "here")

    assert _quickly(_make(here, {"seed": 7}), here.root).status == VERIFIED


# The command


def _run(monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: str | Path) -> tuple[Any, str, str]:
    monkeypatch.setattr(sys, "argv", ["report", "verify", *map(str, words)])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, *capsys.readouterr()


def _blank(to: Path) -> None:
    with pikepdf.new() as document:
        document.add_blank_page()
        document.save(to)


STRANGERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (str, "cannot be read: No such file or directory"),
    "a folder": (lambda to: to.mkdir(), "cannot be read: Is a directory"),
    "a device": (lambda to: to.symlink_to("/dev/zero"), "cannot be read: it is no file"),
    "a text": (lambda to: to.write_text("no PDF"), "this is no PDF"),
    "a stranger": (_blank, "is no report of this generator: it carries none of versions.json"),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_is_no_report_is_refused_in_one_sentence(
    tmp_path: Path,
    project: Project,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make, said = STRANGERS[kind]
    make(tmp_path / "their.pdf")
    told = _run(monkeypatch, capsys, tmp_path / "their.pdf", "--project", project.root)

    assert told[:2] == (2, "")
    assert told[2].startswith("Error: ")
    assert "their.pdf: " + said in told[2]
    assert told[2].endswith("; name a PDF that `report build` made.\n")
    assert told[2].count("\n") == 1


def test_a_page_that_cannot_be_followed_is_named_whatever_libraries_there_are(
    sound: Path, tmp_path: Path
) -> None:
    broken = doctored(sound, tmp_path / "broken.pdf", doctor.paint(b"BT /Nowhere 9 Tf (x) Tj ET"))
    found = list(map(str, verify.disagreements(remake.read(broken))))

    assert any("page 1: what it shows: is marked “Tf without what it needs”" in f for f in found)


def test_the_command_ends_with_0_verified_1_doctored_2_undecided(
    sound: Path,
    tmp_path: Path,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changed = doctored(sound, tmp_path / "doctored.pdf", remove("roll.json"))
    here = Tiny(project.root).copy(tmp_path / "here")
    shutil.rmtree(here.path("build"))
    codes = [
        _run(monkeypatch, capsys, pdf, "--quick", "--project", root)
        for pdf, root in ((sound, project.root), (changed, project.root), (sound, here.root))
    ]

    assert [code for code, *_ in codes] == [0, 1, 2]
    assert [err for *_, err in codes[:2]] == ["", ""]
    assert "3 Same report   not compared" in codes[2][1]
    assert re.fullmatch(
        r"Error: \S+throws.pdf: could not be verified: no PDF [^\n]+\n", codes[2][2]
    )
