"""A PDF that lacks something, or holds too much, is judged in a reader's words as long as it opens at all."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from report import verify
from report.errors import Mistake
from report.moved import read_from
from report.progress import Tell
from report.project import open_project
from report.verify import remake
from report.verify.copied import copied
from report.verify.verdict import DIFFERS, VERIFIED, Verdict
from tests.builds import make
from tests.conftest import FILES, Here, Run, Tiny
from tests.doctor import Change, doctored

TITLE = "Throws of a die"
PYTHON = re.compile(r"Error|None|__|object at|incompatible|argument|Pdf;|<class|pikepdf|'/")
FILLED = "".join(f"A paragraph, the {n}th, about dice.\n\n" for n in range(90))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A small project of some pages, built once."""
    tiny = Tiny(tmp_path_factory.mktemp("damaged") / "tiny")
    for name, text in FILES.items():
        tiny.write(name, text)
    text = FILES["templates/article.md"]
    tiny.write(
        "templates/article.md",
        text.replace("## Throws", f"## Before {{#before}}\n\n{FILLED}## Throws"),
    )
    return tiny


@pytest.fixture(scope="module")
def sound(world: Tiny) -> Path:
    """Its PDF."""
    return next(path for path, pages in make(world).summary.outputs if pages)


@pytest.fixture
def check(sound: Path, world: Tiny, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Verdict]:
    """Verify a PDF against the sound one, which its sources make again."""
    monkeypatch.setattr(verify, "remade", lambda *_: remake.read(sound))
    project = open_project(world.root)
    return lambda pdf: verify.verify(pdf, project, lambda _: Here(), Tell())


def _cut(page: int) -> Change:
    return lambda pdf: pdf.pages.__delitem__(page)


def _reorder(pdf: pikepdf.Pdf) -> None:
    page = pdf.pages[1]
    del pdf.pages[1]
    pdf.pages.append(page)


def _add(pdf: pikepdf.Pdf) -> None:
    pdf.add_blank_page(page_size=(595.276, 841.89))


def _without_annotations(pdf: pikepdf.Pdf) -> None:
    for page in pdf.pages:
        if "/Annots" in page.obj:
            del page.obj.Annots


def _drop(*keys: str) -> Change:
    def change(pdf: pikepdf.Pdf) -> None:
        held: Any = pdf.Root
        for key in keys[:-1]:
            held = held[key]
        del held[keys[-1]]

    return change


def _replace(pdf: pikepdf.Pdf) -> None:
    pdf.attachments["reading.json"] = pikepdf.AttachedFileSpec(pdf, b"[]", filename="reading.json")


def _empty_file(pdf: pikepdf.Pdf) -> None:
    del pdf.attachments["faces.json"].obj.EF


def _lead_astray(pdf: pikepdf.Pdf) -> None:
    entry: Any = pdf.Root.Outlines.First
    entry.Dest = Array([Dictionary(Type=Name.Page), Name.XYZ, 0, 0, 0])


def _places_of_other_kinds(pdf: pikepdf.Pdf) -> None:
    dests: Any = pdf.Root.Names.Dests
    names = next(iter(dests.get("/Kids", [dests]))).Names
    names[1] = Array([3, Name.XYZ, None, None, 0])
    names[3] = Array([None, Name.XYZ, 1, 2, 0])
    names.append(String("left alone"))


def _lay(annotation: Dictionary) -> Change:
    return lambda pdf: pdf.pages[0].obj.Annots.append(pdf.make_indirect(annotation))


def _paint(content: bytes) -> Change:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[1].obj.Contents = pdf.make_stream(content)

    return change


def _take_for(key: str, value: Any) -> Change:
    def change(pdf: pikepdf.Pdf) -> None:
        elements = (each for each in pdf.objects if isinstance(each, Dictionary))
        paragraphs = [each for each in elements if each.get("/S") == "/P"]
        for element in [*paragraphs[:1], *(kid for each in paragraphs for kid in each.K)]:
            if isinstance(element, Dictionary) and key in element:
                element[key] = value

    return change


def _without(key: str) -> Change:
    return lambda pdf: pdf.pages[1].obj.__delitem__(key)


def _encrypted(pdf: Path, to: Path, password: str) -> Path:
    with pikepdf.open(pdf) as document:
        document.save(to, encryption=pikepdf.Encryption(user=password, owner="owner"))
    return to


DAMAGED: dict[str, tuple[Change, str]] = {
    "its last page is gone": (_cut(-1), r"page (\d) of \1 is missing"),
    "its first page is gone": (_cut(0), r"page 1 of \d is missing"),
    "a page stands elsewhere": (_reorder, r"page \d bears the number 2 of \d"),
    "a page was added": (_add, r"page \d bears no number"),
    "nothing lies on its pages": (_without_annotations, "a link is here, and not in the PDF"),
    "no place has a name": (_drop("/Names", "/Dests"), "link to #.* leads nowhere"),
    "it has no structure": (_drop("/StructTreeRoot"), "which no page says"),
    "it has no outline": (_drop("/Outlines"), "outline"),
    "an attachment is another": (_replace, "reading.json is damaged"),
    "an attachment is empty": (_empty_file, "faces.json was removed"),
    "its outline leads astray": (_lead_astray, "the outline's “Before” leads nowhere"),
    "places are no places": (_places_of_other_kinds, "is on no page of the PDF"),
    "a link lies nowhere": (_lay(Dictionary(Subtype=Name.Link)), "a link is in the PDF, and not"),
    "a note is nothing": (_lay(Dictionary()), "a note laid over it is in the PDF"),
    "an element is of no kind": (_take_for("/S", Array([1, None])), r"a \[1 nothing\]"),
    "an element is on no page": (_take_for("/Pg", 7), "which no page says"),
    "a page is not drawn": (_without("/Contents"), "page 2 is laid out otherwise"),
    "a page has no fonts": (_without("/Resources"), "marked “gs without what it needs”"),
    "a page is drawn wrongly": (_paint(b"BT /F1 Tf (x) Tj 1 cm /N gs /N Do"), "marked “Tf without what it needs”"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_pdf_that_opens_is_judged_in_a_readers_words(
    damage: str, sound: Path, tmp_path: Path, check: Callable[[Path], Verdict]
) -> None:
    change, found = DAMAGED[damage]
    verdict = check(doctored(sound, tmp_path / "damaged.pdf", change))
    told = "\n".join(verdict.lines())

    assert verdict.status == DIFFERS
    assert re.search(found, told), told
    assert not PYTHON.search(told)


@pytest.mark.slow
def test_a_page_that_another_program_left_out_is_named_and_so_are_the_places_on_it(
    sound: Path, tmp_path: Path, check: Callable[[Path], Verdict]
) -> None:
    cut = tmp_path / "cut.pdf"
    subprocess.run(["qpdf", sound, "--pages", ".", "1-3,5", "--", cut], check=True)
    verdict = check(cut)
    found = [str(each) for each in verdict.contradictions]

    assert verdict.status == DIFFERS
    assert "page 4 of 5 is missing" in found[0]
    assert any("the place #colophon is on no page of the PDF" in each for each in found)


def test_a_copy_that_lacks_a_page_is_compared_as_long_as_its_files_are_whole(
    sound: Path, tmp_path: Path
) -> None:
    cut = doctored(sound, tmp_path / "cut.pdf", _cut(3))

    assert '"before":1' in copied(cut, TITLE)
    assert "colophon" not in copied(cut, TITLE).partition('"published"')[0]


def test_a_pdf_that_is_encrypted_without_a_password_is_read_and_told_apart(
    sound: Path, tmp_path: Path, check: Callable[[Path], Verdict]
) -> None:
    verdict = check(_encrypted(sound, tmp_path / "encrypted.pdf", ""))

    assert verdict.status == DIFFERS
    assert "encryption “which needs no password to read”" in "\n".join(verdict.lines())


@pytest.mark.slow
def test_a_pdf_that_was_linearized_by_another_program_is_as_good_as_before(
    sound: Path, tmp_path: Path, check: Callable[[Path], Verdict]
) -> None:
    subprocess.run(["qpdf", "--linearize", sound, tmp_path / "linear.pdf"], check=True)

    assert check(tmp_path / "linear.pdf").status == VERIFIED


def test_what_cannot_be_opened_is_refused_in_a_readers_words(
    sound: Path, world: Tiny, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "text.md").write_text("# No PDF")
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "half.pdf").write_bytes(sound.read_bytes()[:9000])
    _encrypted(sound, tmp_path / "locked.pdf", "secret")
    cases = {
        "text.md": "this is no PDF; name",
        "empty.pdf": "this is no PDF; name",
        "half.pdf": "this PDF is damaged, so that it cannot be read; name",
        "locked.pdf": "it cannot be read without a password; name",
    }
    with pytest.raises(Mistake, match="cannot be read without a password"):
        read_from(tmp_path / "locked.pdf")
    for name, sentence in cases.items():
        status, out, err = run("verify", "--project", world.root, tmp_path / name, "--quick")

        assert (status, out) == (2, "")
        assert sentence in err
        with pytest.raises(Mistake, match=re.escape(sentence.partition(";")[0])):
            copied(tmp_path / name, TITLE)
