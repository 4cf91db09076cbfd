"""The finished page in a real browser: readable by everyone, at every width, with nothing fetched."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser.chromium import Chromium, program
from tests.finished import Finished

WIDTHS: Final = (1440, 1280, 1024, 820, 720, 375, 320)  # 720 is 1440 at a zoom of 200 %
SMALLEST_TEXT: Final = 11  # pixels of a drawing's words on a phone of 375
SMALLEST_TARGET: Final = 24  # pixels

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine"),
]


@pytest.fixture(scope="module")
def file(finished: Finished) -> Path:
    """The finished page of this project's article."""
    return finished.page


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """One browser for all tests."""
    with Chromium() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, from wherever the test requirements brought it."""
    given = os.environ.get("AXE_CORE", "")
    spec = importlib.util.find_spec("axe_playwright_python")
    places = [Path(given)] if given else []
    places += [Path(at) / "axe.min.js" for at in (spec and spec.submodule_search_locations) or []]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        pytest.skip("not proved: axe-core is not installed")
    return found.read_text("utf-8")


def _unfold(browser: Chromium) -> None:
    browser.run("document.querySelectorAll('details').forEach(each => each.open = true)")


def _violations(browser: Chromium, axe: str) -> Any:
    browser.run(f"{axe};true")
    return browser.run(
        "axe.run(document, {rules: {'target-size': {enabled: true}}}).then(found => found.violations"
        ".map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).join(' | ')))"
    )


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1440, "light"),
        (1440, "dark"),
        (820, "light"),
        (375, "light"),
        (375, "dark"),
        (320, "light"),
    ],
)
def test_axe_finds_no_violation_on_a_screen(
    browser: Chromium, file: Path, axe: str, width: int, scheme: Any
) -> None:
    browser.open(file, width, scheme=scheme)
    _unfold(browser)

    assert _violations(browser, axe) == []


@pytest.mark.parametrize("media", ["screen", "print"])
def test_axe_finds_no_violation_as_the_page_opens(
    browser: Chromium, file: Path, axe: str, media: Any
) -> None:
    browser.open(file, 794, media=media)

    assert _violations(browser, axe) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_needs_scrolling_sideways(browser: Chromium, file: Path, width: int) -> None:
    browser.open(file, width)
    _unfold(browser)

    assert browser.run("document.documentElement.scrollWidth") == width


def test_nothing_is_asked_of_a_network_and_nothing_is_refused(
    browser: Chromium, file: Path
) -> None:
    browser.open(file)
    browser.run("new Promise(done => setTimeout(done, 300))")

    asked = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    complaints = [
        e["params"]["entry"] for e in browser.events if e.get("method") == "Log.entryAdded"
    ]
    assert [url for url in asked if not url.startswith("data:")] == [file.resolve().as_uri()]
    assert complaints == []


def test_a_page_reads_without_scripts(browser: Chromium, file: Path) -> None:
    browser.open(file)
    with_scripts = browser.run("document.body.innerText.length")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(file, wait=False)
        without = browser.call("Accessibility.getFullAXTree")["nodes"]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)

    said = sum(
        len(n.get("name", {}).get("value", ""))
        for n in without
        if n["role"]["value"] == "StaticText"
    )
    assert said > 0.9 * with_scripts


@pytest.mark.parametrize(("width", "layout"), [(1440, "wide"), (820, "wide"), (375, "narrow")])
def test_one_layout_of_each_drawing_is_shown(
    browser: Chromium, file: Path, width: int, layout: str
) -> None:
    browser.open(file, width)

    shown = browser.run(
        "[...document.querySelectorAll('figure > svg')].filter(e => e.checkVisibility())"
        ".map(e => e.classList[1])"
    )
    assert shown
    assert set(shown) == {layout}


def test_words_of_a_drawing_are_large_enough_on_a_phone(browser: Chromium, file: Path) -> None:
    browser.open(file, 375)

    sizes = browser.run(
        "[...document.querySelectorAll('svg.narrow')].flatMap(svg => "
        "[...svg.querySelectorAll('text')].map(text => [text.textContent, "
        "parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a]))"
    )
    assert sizes
    assert [each for each in sizes if each[1] < SMALLEST_TEXT] == []


@pytest.mark.parametrize("width", [1024, 1152, 1280, 1376, 1440, 1920])
def test_notes_in_the_margin_touch_nothing(browser: Chromium, file: Path, width: int) -> None:
    browser.open(file, width)

    touching = browser.run("""(() => {
        const box = e => [e.id || e.className, e.getBoundingClientRect()];
        const notes = [...document.querySelectorAll('.note')].map(box);
        const others = [...document.querySelectorAll('figure > svg.wide, .contents, table, pre')]
            .filter(e => e.checkVisibility()).map(box);
        const touch = ([, a], [, b]) =>
            a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return notes.flatMap((note, i) => [...notes.slice(i + 1), ...others]
            .filter(other => touch(note, other)).map(other => [note[0], String(other[0])]));
    })()""")
    assert touching == []


def test_a_note_stands_beside_the_paragraph_that_calls_it(browser: Chromium, file: Path) -> None:
    browser.open(file, 1440)

    away = browser.run("""[...document.querySelectorAll('.note')].map(note => {
        const call = document.getElementById(note.id.replace('note-', 'call-'));
        const paragraph = call.closest('.with-note').getBoundingClientRect();
        return Math.round(note.getBoundingClientRect().top - paragraph.top);
    })""")
    assert all(-2 <= each <= 150 for each in away), away


def test_a_pointer_on_a_number_shows_where_it_is_stored(browser: Chromium, file: Path) -> None:
    browser.open(file)
    shown = "getComputedStyle(document.querySelector('data.n'), '::after').content"
    before = browser.run(shown)
    browser.point_at("data.n")
    path = browser.run("document.querySelector('data.n').dataset.path")

    assert before == "none"
    assert path in browser.run(shown)
    assert browser.run("document.documentElement.scrollWidth") == 1440


def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Chromium, file: Path
) -> None:
    browser.open(file, 1440)
    expected = browser.run(
        "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
        ".filter(e => e.checkVisibility()).length"
    )
    reached = 0
    unseen = []
    while True:
        for kind in ("keyDown", "keyUp"):
            browser.call(
                "Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9
            )
        here = browser.run("""(() => { const e = document.activeElement;
            if (e === document.body || e.dataset.seen) return null;
            e.dataset.seen = 1;
            const style = getComputedStyle(e), box = e.getBoundingClientRect();
            return [e.outerHTML.slice(0, 80), style.outlineStyle, parseFloat(style.outlineWidth),
                    box.bottom > 0 && box.top < innerHeight, style.opacity]; })()""")
        if here is None:
            break
        reached += 1
        if here[1:] != ["solid", 2, True, "1"]:
            unseen.append(here)

    assert reached == expected
    assert unseen == []


def test_a_key_unfolds_an_answer(browser: Chromium, file: Path) -> None:
    browser.open(file)
    browser.run("document.querySelector('.answer summary').focus()")
    browser.press("Enter", 13, text="\r")

    assert browser.run("document.querySelector('.answer').open") is True


def test_a_link_into_a_folded_table_unfolds_it(browser: Chromium, file: Path) -> None:
    browser.open(file)
    browser.run("document.querySelector('.where a').click()")
    browser.run("new Promise(done => setTimeout(done, 300))")

    assert browser.run("document.getElementById('numbers').open") is True


def test_paper_from_the_browser_shows_answers_and_no_furniture(
    browser: Chromium, file: Path
) -> None:
    browser.open(file, 794, media="print")

    assert browser.run("document.querySelector('.answer p').checkVisibility()") is True
    assert (
        browser.run(
            "[...document.querySelectorAll('.contents, .anchor, .skip, .where, summary')]"
            ".filter(e => e.checkVisibility()).length"
        )
        == 0
    )
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
