"""What a PDF viewer shows, speaks, opens or saves beside the pages is held to what the sources make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from report import verify
from report.build import build
from report.progress import Tell
from report.project import open_project, read_settings
from report.stages import Request
from report.verify import remake
from report.verify.remake import Finished
from report.verify.verdict import DIFFERS, VERIFIED, Verdict
from tests.conftest import FILES, Here, Tiny
from tests.doctor import Change, doctored, paint

EVIL = "http://evil.example/"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A small project, built once."""
    tiny = Tiny(tmp_path_factory.mktemp("sight") / "tiny")
    for name, text in FILES.items():
        tiny.write(name, text)
    project = open_project(tiny.root)
    build(Request(project, read_settings(project)), Here(), Tell())
    return tiny


@pytest.fixture(scope="module")
def sound(built: Tiny) -> Path:
    """Its PDF."""
    return built.path("build/throws.pdf")


@pytest.fixture(scope="module")
def again(sound: Path) -> Finished:
    """What its sources make again, which tests/test_verify.py proves to be the same bytes."""
    return remake.read(sound)


def _quickly(pdf: Path, built: Tiny) -> Verdict:
    return verify.verify(pdf, open_project(built.root), lambda _: Here(), Tell(), quick=True)


# What a forger does, each to one thing


def _of_page(key: str, value: Any) -> Change:
    return lambda document: document.pages[0].obj.__setitem__(key, value)


def _of_root(key: str, value: Any) -> Change:
    return lambda document: document.Root.__setitem__(key, value)


def _cut(document: pikepdf.Pdf) -> None:
    for page in document.pages:
        page.obj.MediaBox = Array([0, 0, 595.28, 300])
        page.obj.CropBox = Array([0, 0, 595.275591, 841.889764])


def _links(document: pikepdf.Pdf) -> list[Any]:
    return [link for page in document.pages for link in page.obj.get("/Annots", [])]


def _out(document: pikepdf.Pdf) -> Any:
    return next(link for link in _links(document) if "/A" in link)


def _visit() -> Dictionary:
    return Dictionary(S=Name.URI, URI=String(EVIL))


def _of_link(key: str, value: Callable[[], Any]) -> Change:
    return lambda document: _out(document).__setitem__(key, value())


def _next(document: pikepdf.Pdf) -> None:
    _out(document).A.Next = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))


def _over_nothing(document: pikepdf.Pdf) -> None:
    _links(document)[0].Rect = Array([10, 10, 30, 20])


def _outline_out(document: pikepdf.Pdf) -> None:
    entry = document.Root.Outlines.First
    del entry.Dest
    entry.A = _visit()


def _outline_over(document: pikepdf.Pdf) -> None:
    document.Root.Outlines.First.Dest = Array([document.pages[1].obj, Name.XYZ, 68, 780, 0])


def _places_to(x: int, y: int) -> Change:
    def change(document: pikepdf.Pdf) -> None:
        names = document.Root.Names.Dests.Names
        for at in range(1, len(names), 2):
            names[at] = Array([document.pages[1].obj, Name.XYZ, x, y, 0])

    return change


def _of_file(key: str, value: str) -> Change:
    return lambda document: document.Root.Names.EmbeddedFiles.Names[1].__setitem__(key, value)


def _file_twice(document: pikepdf.Pdf) -> None:
    names = document.Root.Names.EmbeddedFiles.Names
    stream = document.make_stream(b"another")
    spec = Dictionary(Type=Name.Filespec, UF=names[0], EF=Dictionary(F=stream))
    document.Root.Names.EmbeddedFiles.Names = Array(
        [names[0], document.make_indirect(spec), *names]
    )


def _file_otherwise(document: pikepdf.Pdf) -> None:
    document.Root.Names.EmbeddedFiles.Names[1].EF.UF = document.make_stream(b"another")


def _spoken(key: str) -> Change:
    """Let a paragraph be read aloud otherwise than it is printed."""

    def change(document: pikepdf.Pdf) -> None:
        element = next(each for each in _elements(document) if each.S == "/P")
        element[key] = String("spoken otherwise")

    return change


def _elements(document: pikepdf.Pdf) -> Iterator[Any]:
    for each in document.objects:
        if isinstance(each, Dictionary) and each.get("/Type") == "/StructElem":
            yield each


def _role(document: pikepdf.Pdf) -> None:
    next(each for each in _elements(document) if each.S == "/H2").S = Name.P


def _scope(document: pikepdf.Pdf) -> None:
    next(each for each in _elements(document) if each.S == "/TH").A.Scope = Name.Row


def _marked(properties: bytes) -> Change:
    """Let words be copied and read aloud as others."""

    def change(document: pikepdf.Pdf) -> None:
        content = document.pages[0].Contents
        data, found = re.subn(
            rb"<<\s*/MCID 5\s*>>", b"<</MCID 5 " + properties + b">>", content.read_bytes()
        )
        assert found == 1
        content.write(data)

    return change


def _of_info(key: str, value: str) -> Change:
    return lambda document: document.docinfo.__setitem__(key, value)


def _of_metadata(key: str, value: str) -> Change:
    def change(document: pikepdf.Pdf) -> None:
        with document.open_metadata(update_docinfo=False) as metadata:
            metadata[key] = value

    return change


def _clear(document: pikepdf.Pdf) -> None:
    """Let the paint of a page be clear."""
    for state in document.pages[0].Resources.ExtGState.values():
        if "/ca" in state:
            state.ca = 0


def _all_white(document: pikepdf.Pdf) -> None:
    """Let plain colors mean others."""
    white = Dictionary(
        FunctionType=2, Domain=Array([0, 1]), C0=Array([1, 1, 1]), C1=Array([1, 1, 1]), N=1
    )
    space = Array([Name.Separation, Name.White, Name.DeviceRGB, white])
    document.pages[0].Resources.ColorSpace.DefaultGray = space


def _run_together(document: pikepdf.Pdf) -> None:
    for font in document.objects:
        if isinstance(font, Dictionary) and font.get("/Subtype") == "/CIDFontType2":
            font.W, font.DW = Array([]), 0


def _script(document: pikepdf.Pdf) -> None:
    action = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
    document.Root.Names.JavaScript = Dictionary(Names=Array(["x", action]))


DAY = ", of an article of 2026-01-02"
NOT_OURS = "is nothing that a report holds"
HERE = " in the PDF, nothing here"
# What is doctored, what the PDF in itself then says, what another of the same sources says
CHANGES: dict[str, tuple[Change, str, str]] = {
    "pages cut": (
        _cut,
        "page 1 shows 595.276 by 300 points, which is neither a4 nor letter",
        "page 2: /MediaBox “[0 0 595.28 300]” in the PDF, “[0 0 595.276 841.89]” here",
    ),
    "words that are clear": (
        _clear, "page 1 holds words that it does not show: “", "faces, page 1: its words are as here, but a line",
    ),
    "words that are not painted": (
        paint(b"3 Tr", first=True), "page 1 holds words that it does not show: “",
        "page 1 is laid out otherwise",
    ),
    "words clipped away": (
        paint(b"0 0 1 1 re W n", first=True), "page 1 holds words that it does not show: “",
        "faces, page 1: its words are as here, but a line",
    ),
    "words too small": (
        paint(b".01 0 0 .01 300 400 cm", first=True), "page 1 holds words that it does not show",
        "faces, page 1: its words are as here, but a line",
    ),
    "what colors mean": (
        _all_white, "", "page 1: something outside its text is drawn otherwise",
    ),
    "letters one upon another": (_run_together, "", " are not drawn as they are here, first on"),
    "a page turned": (
        _of_page("/Rotate", 180), f"page 1: /Rotate “180” {NOT_OURS}",
        f"page 1: /Rotate “180”{HERE}",
    ),
    "all pages turned": (
        lambda document: document.Root.Pages.__setitem__("/Rotate", 90),
        f"page 2: /Rotate “90” {NOT_OURS}", f"page 2: /Rotate “90”{HERE}",
    ),
    "a page shrunk": (
        _of_page("/UserUnit", 0.2), f"page 1: /UserUnit “0.2” {NOT_OURS}",
        f"page 1: /UserUnit “0.2”{HERE}",
    ),
    "a page that acts": (
        _of_page("/AA", Dictionary(O=_visit())), f"page 1: /AA “</O </S /URI /URI {EVIL}>>”",
        f"page 1: /AA “</O </S /URI /URI {EVIL}>>”{HERE}",
    ),
    "a page that goes on by itself": (
        _of_page("/Dur", 1), f"page 1: /Dur “1” {NOT_OURS}", f"page 1: /Dur “1”{HERE}",
    ),
    "labels of pages": (
        _of_root("/PageLabels", Dictionary(Nums=Array([0, Dictionary(S=Name.D, St=500)]))),
        f"page 1: label “500” {NOT_OURS}", f"page 2: label “501”{HERE}",
    ),
    "what a viewer does at first": (
        _of_root("/OpenAction", _visit()), f"the PDF: /OpenAction “</S /URI /URI {EVIL}>” {NOT_OURS}",
        f"the PDF: /OpenAction “</S /URI /URI {EVIL}>”{HERE}",
    ),
    "a script by name": (_script, "the PDF: names /JavaScript “", "the PDF: names /JavaScript “"),
    "a link that leads two ways": (
        lambda document: _links(document)[0].__setitem__("/A", _visit()),
        f"page 1: a link: /A “</S /URI /URI {EVIL}>” {NOT_OURS}",
        f"page 1: a link: /A “</S /URI /URI {EVIL}>”{HERE}",
    ),
    "a link without words": (
        lambda document: document.pages[1].obj.__setitem__("/Annots", Array([Dictionary(
            Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]), A=_visit())])),
        f"page 2: the link to {EVIL} lies off its words",
        "page 2: a link is in the PDF, and not here: /Subtype /Link",
    ),
    "a link that acts": (
        _of_link("/A", lambda: Dictionary(S=Name.Launch, F=String("evil.exe"))),
        "page 1: a link: /A “</F evil.exe /S /Launch>”", "page 1: a link: /A “</F evil.exe",
    ),
    "a link that acts twice": (
        _next, "page 1: a link: /A “</Next </JS app.alert(1) /S /JavaScript>",
        "page 1: a link: /A “</Next </JS app.alert(1) /S /JavaScript>",
    ),
    "a link that acts when it is near": (
        _of_link("/AA", lambda: Dictionary(E=_visit())), "page 1: a link: /AA “</E </S /URI",
        "page 1: a link: /AA “</E </S /URI",
    ),
    "a link over a page": (
        _of_link("/Rect", lambda: Array([0, 0, 600, 800])), "lies over other words: “",
        "page 1: a link: lies at “[0 0 600 800]” in the PDF, “[",
    ),
    "a link that is not over its words": (
        _over_nothing, "page 1: the link to #throws lies off its words",
        "page 1: a link: lies at “[10 10 30 20]” in the PDF",
    ),
    "what a link is announced as": (
        _of_link("/Contents", lambda: String("home")), "is announced as “home”",
        "page 1: a link: /Contents “home” in the PDF, “https://creativecommons.org",
    ),
    "an entry of the outline that leads out": (
        _outline_out, "“Throws” is on page 1, and leads to no page",
        f"the outline's “Throws”: leads to “{EVIL}” in the PDF, “a place” here",
    ),
    "an entry of the outline that leads elsewhere": (
        _outline_over, "“Throws” is on page 1, and leads to page 2",
        "the outline's “Throws”: leads to “[page 2 /XYZ 68 780 0]” in the PDF, “[page 1 /XYZ",
    ),
    "places that nothing is at": (
        _places_to(0, 0), "the place #throws, on page 2, has nothing below it",
        "the place #throws: is “[page 2 /XYZ 0 0 0]” in the PDF, “[page 1 /XYZ",
    ),
    "places where something else is": (
        _places_to(0, 780), "“Throws” is on page 1, and leads to page 2",
        "the place #throws: is “[page 2 /XYZ 0 780 0]” in the PDF, “[page 1 /XYZ",
    ),
    "how a file is saved": (
        _of_file("/UF", "invoice.exe"), "faces.json is saved as “invoice.exe”",
        "faces.json: /UF “invoice.exe” in the PDF, “faces.json” here",
    ),
    "how a file is saved elsewhere": (
        _of_file("/F", "invoice.exe"), "faces.json is saved as “invoice.exe”",
        "faces.json: /F “invoice.exe” in the PDF, “faces.json” here",
    ),
    "what a file is": (
        _of_file("/Desc", "invoice.exe"), "",
        "faces.json: /Desc “invoice.exe” in the PDF, “The numbers behind the figure faces” here",
    ),
    "a file that is another for another viewer": (
        _file_otherwise, f"faces.json: holds /UF “” {NOT_OURS}", "",
    ),
    "a file that is there twice": (_file_twice, "faces.json is there 2 times", ""),
    **{
        f"what is read aloud by {key}": (
            _spoken(key), f": a P: {key} “spoken otherwise” {NOT_OURS}",
            f": a P is in the PDF, and not here: {key} spoken otherwise",
        )
        for key in ("/Alt", "/E", "/ActualText", "/Lang")
    },
    "what words are copied as": (
        _marked(b"/ActualText (NOT)"),
        f"page 1: what it shows: is marked “/Span /ActualText NOT” {NOT_OURS}",
        "page 1: what it shows is in the PDF, and not here: is marked /Span /ActualText NOT",
    ),
    "a heading that is read as none": (_role, "", "a P in the PDF, a H2 here"),
    "what a head of a table heads": (_scope, "", "a TH: /Scope “/Row” in the PDF, “/Column” here"),
    "when it was made": (
        _of_info("/CreationDate", "D:19990101000000Z"),
        f"its properties: /CreationDate “D:19990101000000Z”{DAY}",
        "its properties: /CreationDate “D:19990101000000Z” in the PDF, “D:20260102” here",
    ),
    "that it was saved before it was made": (
        _of_info("/ModDate", "D:19990101000000Z"),
        f"its properties: /ModDate “D:19990101000000Z”{DAY}", "",
    ),
    "when its metadata says it was made": (
        _of_metadata("xmp:CreateDate", "1999-01-01"),
        f"its metadata: xmp:CreateDate “1999-01-01”{DAY}",
        "its metadata: xmp:CreateDate “1999-01-01” in the PDF, “2026-01-02” here",
    ),
    "a property that none has": (
        _of_info("/Retracted", "yes"), f"its properties: /Retracted “yes” {NOT_OURS}",
        f"its properties: /Retracted “yes”{HERE}",
    ),
    "what its metadata says beside": (
        _of_metadata("xmpRights:UsageTerms", "none"), "UsageTerms “none” is nothing",
        f"UsageTerms “none”{HERE}",
    ),
}  # fmt: skip


FIRST = {
    "pages cut",
    "a page turned",
    "a link that acts twice",
    "an entry of the outline that leads out",
    "places that nothing is at",
    "how a file is saved",
    "what words are copied as",
    "words that are clear",
    "letters one upon another",
    "when it was made",
}


@pytest.mark.parametrize(
    "change",
    [pytest.param(c, marks=[] if c in FIRST else [pytest.mark.slow]) for c in CHANGES],
)
def test_what_a_viewer_minds_is_named_where_it_is_doctored(
    sound: Path, again: Finished, tmp_path: Path, change: str
) -> None:
    edit, in_itself, beside = CHANGES[change]
    theirs = remake.read(doctored(sound, tmp_path / "doctored.pdf", edit))
    contradicted = list(verify.disagreements(theirs))
    differing = list(verify.differences(theirs, again, {}))

    assert contradicted + differing
    assert in_itself in "\n".join(map(str, contradicted))
    assert beside in "\n".join(map(str, differing))


def test_what_only_another_pdf_of_the_same_sources_shows_is_found_without_running_them(
    built: Tiny, sound: Path, tmp_path: Path
) -> None:
    changed = doctored(sound, tmp_path / "doctored.pdf", _of_file("/Desc", "invoice.exe"))
    verdict = _quickly(changed, built)

    assert (verdict.status, verdict.contradictions) == (DIFFERS, [])
    assert [each.kind for each in verdict.report or []] == ["attachment"]


def test_a_sound_pdf_is_in_order(built: Tiny, sound: Path) -> None:
    verdict = _quickly(sound, built)

    assert (verdict.status, verdict.contradictions, verdict.report) == (VERIFIED, [], [])


def test_a_sound_pdf_may_quote_a_parameter_as_a_command_writes_it(built: Tiny) -> None:
    project = open_project(built.root)
    request = Request(project, read_settings(project, {"dice.sides": 1200}))
    made, _ = build(request, Here(), Tell()).outputs[1]
    verdict = _quickly(made, built)

    assert "SET='dice.sides=1200'" in remake.read(made).sight.plain
    assert (verdict.status, verdict.contradictions, verdict.report) == (VERIFIED, [], [])


def test_a_pdf_that_was_locked_is_no_longer_the_same(
    built: Tiny, sound: Path, tmp_path: Path
) -> None:
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(sound) as document:
        rights = pikepdf.Permissions(extract=False, print_highres=False, print_lowres=False)
        document.save(locked, encryption=pikepdf.Encryption(owner="x", user="", allow=rights))
    verdict = _quickly(locked, built)

    assert "the PDF: encryption “" in "\n".join(map(str, verdict.contradictions))


def test_a_pdf_that_another_program_saved_later_is_the_same(
    built: Tiny, sound: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.pdf"
    with pikepdf.open(sound) as document:
        with document.open_metadata() as metadata:  # which names the program that edits it
            metadata["xmp:ModifyDate"] = "2030-01-01T00:00:00Z"
        document.docinfo.ModDate = "D:20300101000000Z"
        document.save(again, linearize=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    verdict = _quickly(again, built)

    assert (verdict.status, verdict.contradictions, verdict.report) == (VERIFIED, [], [])
