"""Whether a PDF agrees with itself: what it prints and draws with the record and results inside it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from report.moved import ANSWER, CAPTION, PIECES, READING, TABLE
from report.numbers import MINUS, PRINTERS
from report.pdf.attachments import VERSIONS, fingerprint
from report.verify.carried import RECORDS, Carried, Passage, Told
from report.verify.difference import ABSENT, Difference, around, paired, quoted, spaced
from report.verify.sight import Drawing, Said, Sight, squeezed

SAID: Final = ("", CAPTION, ANSWER)  # parts of the text that a page prints as they are told
_FORMULA = re.compile(r"\$[^$]*\$")
_ANYTHING = ".{0,300}?"  # what a formula between two pieces may be spoken as


def contradictions(carried: Carried, sight: Sight) -> Iterator[Difference]:
    """Name whatever in a PDF does not go with the rest of it."""
    yield from _attachments(carried)
    yield from _versions(carried, sight)
    told = sight.plain
    for passage in carried.told.sentences:
        yield from _numbers(passage, carried, told)
        for said in _printed(passage):
            if not _is_told(said, told):
                yield Difference("sentence", _unsaid(said, sight.sentences))
    yield from _figures(carried.told, sight.drawings)


def _attachments(carried: Carried) -> Iterator[Difference]:
    listed = carried.made.fingerprints
    for name in sorted({*listed, *RECORDS} - carried.files.keys()):
        yield Difference("attachment", f"{name} was removed")
    for name, data in sorted(carried.files.items()):
        if name in carried.damaged:
            yield Difference("attachment", f"{name} is damaged: it cannot be read")
        elif listed and name != VERSIONS and name not in listed:
            yield Difference("attachment", f"{name} was added: {VERSIONS} does not list it")
        elif listed.get(name, "") not in ("", fingerprint(data)):
            yield Difference(
                "attachment", f"{name} was changed: it is not the file {VERSIONS} lists"
            )


def _versions(carried: Carried, sight: Sight) -> Iterator[Difference]:
    """Hold the versions that are recorded against those that are printed, if any are."""
    printed = "\n".join(squeezed(block.text) for block in sight.blocks)
    for name, version in carried.made.versions.items():
        library, said = re.escape(squeezed(name)), re.escape(squeezed(version))
        found = re.search(rf"{library}(\d[\w.]*\w)", printed)
        if found and not re.search(rf"{library}{said}(?!\d|\.\d)", printed):
            what = f"{VERSIONS} says {name} {version}, the page {name} {found[1]}"
            yield Difference("version", what)


def _numbers(sentence: Passage, carried: Carried, told: str) -> Iterator[Difference]:
    """Print each number of a sentence again from the value that is attached.

    Where a page `told` the value in full, as the list of all numbers does after what it prints, it has
    to be this one. A command or a change that a page quotes writes values its own way.
    """
    for path, how, printed in sentence.numbers:
        value = stored(path, carried)
        if value is ABSENT and path.partition(".")[0] in carried.results:
            yield Difference("number", f"{path} is told in “{sentence.text}”, but not attached")
        if value is ABSENT:
            continue
        listed = re.escape(squeezed(printed) + squeezed(path))
        found = re.findall(rf"{listed}=({MINUS}?[\d.,]+)", told)
        if found and _said(value, "plain") not in (each.strip(".,") for each in found):
            what = f"{path} is {_said(value, 'plain')} in the attachment, a page says {found[0]}"
            yield Difference("number", what)
        if (said := _said(value, how)) != printed:
            what = f"{path} is {value} in the attachment and prints {said}, but “{printed}” is told"
            yield Difference("number", f"{what} in “{sentence.text}”")


def _said(value: Any, how: str) -> str:
    """Print a value, which anyone may have put there, as it is told to be printed."""
    printer, *details = how.split(" ")
    try:
        return PRINTERS[printer](value, *map(int, details))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return "nothing"


def stored(path: str, carried: Carried) -> Any:
    """Find the attached value of a path; ABSENT where nothing attached has it."""
    first, _, rest = path.partition(".")
    parameters = carried.parameters or {}
    if first in carried.results:
        return _within(carried.results[first], rest)
    if first == "parameters":
        return _within(parameters, rest)
    return _within(parameters, path)


def _within(held: Any, path: str) -> Any:
    """Follow a path; a key may itself hold points, as sizes do."""
    if not path:
        return held
    steps = path.split(".")
    for count in range(1, len(steps) + 1):
        key, rest = ".".join(steps[:count]), ".".join(steps[count:])
        if isinstance(held, list) and key.isdecimal() and int(key) < len(held):
            return _within(held[int(key)], rest)
        if isinstance(held, dict) and key in held:
            found = _within(held[key], rest)
            if found is not ABSENT:
                return found
    return ABSENT


def _printed(passage: Passage) -> list[str]:
    """What a page prints of a passage, word for word; its head and its end word some things anew."""
    if passage.part == TABLE:
        return passage.text.split(PIECES)
    reworded = passage.section in ("", "colophon") and not passage.numbers
    return [] if reworded or passage.part not in SAID else [passage.text]


def _is_told(sentence: str, told: str) -> bool:
    """Tell whether a page says a sentence, whatever its formulas look like there."""
    pieces = [re.escape(squeezed(piece)) for piece in _FORMULA.split(sentence)]
    if not "".join(pieces):
        return True  # nothing but a formula
    while not pieces[0]:
        pieces.pop(0)
    return re.search(_ANYTHING.join(pieces), told) is not None


def _unsaid(sentence: str, printed: list[Said]) -> str:
    """Say that a sentence is not printed, and what is printed that is most like it."""
    pages = {said.text: said.page for said in printed}
    likest = difflib.get_close_matches(sentence, pages, n=1)
    if not likest:
        return f"{READING} tells “{sentence}”, which no page says"
    told, said = around(sentence, likest[0])
    return f"page {pages[likest[0]]} says “{said}”, {READING} tells “{told}”"


def _figures(told: Told, drawings: list[Drawing]) -> Iterator[Difference]:
    """Hold what each figure says and draws against what is told of it."""
    alternatives = told.alternatives
    drawn = named(drawings, alternatives)
    for stem, shown in told.figures.items():
        if stem not in drawn:
            yield Difference("figure", f"{stem} is told of, but no page shows it")
            continue
        drawing = drawn[stem]
        if squeezed(alternatives[stem]) != squeezed(drawing.alt):
            one, other = around(drawing.alt, alternatives[stem])
            what = (
                f"{stem}, page {drawing.page}, is described by “{one}”, {READING} tells “{other}”"
            )
            yield Difference("figure", what)
        forms = [[squeezed(word) for word in form] for form in shown.words]
        if drawing.words not in forms:
            likest = max(shown.words, key=lambda form: _likeness(form, drawing.words), default=[])
            for word, wanted in paired(drawing.words, likest, squeezed):
                if squeezed(word or "") != squeezed(wanted or ""):
                    what = f"{stem}, page {drawing.page}, draws {quoted(spaced(word, wanted))}"
                    yield Difference("figure", f"{what}, {READING} tells {quoted(wanted)}")


def _likeness(told: list[str], drawn: list[str]) -> float:
    return difflib.SequenceMatcher(None, [*map(squeezed, told)], drawn, autojunk=False).ratio()


def named(drawings: list[Drawing], told: Mapping[str, str]) -> dict[str, Drawing]:
    """Find the drawing of each figure by what is `told` for it: the one described so, or nearest."""
    left = [drawing for drawing in drawings if drawing.kind == "Figure"]
    found: dict[str, Drawing] = {}
    for least in (1.0, 0.0):
        for stem in [stem for stem in told if stem not in found]:
            alike = {_alike(told[stem], each.alt): each for each in left}
            if alike and max(alike) >= least:
                found[stem] = alike[max(alike)]
                left.remove(found[stem])
    return found


def _alike(one: str, other: str) -> float:
    return (
        1.0
        if squeezed(one) == squeezed(other)
        else difflib.SequenceMatcher(None, one, other).ratio()
    )
