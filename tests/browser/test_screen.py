"""The finished page in a real browser: readable by everyone, at every width, with nothing fetched."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from tests.browser.chromium import Chromium, Media, program

WIDTHS: Final = (1440, 1280, 1024, 820, 720, 375, 320)  # 720 is 1440 at a zoom of 200 %
SMALLEST_TEXT: Final = 11  # pixels of a drawing's words on a phone of 375
SMALLEST_TARGET: Final = 24  # pixels

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine"),
]


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


# Words of one color, size and weight on the same grounds are as easy to read: one of them is looked at
EXAMPLES: Final = """(() => {
    const grounds = new Map();
    const ground = e => {
        if (!e) return '';
        if (!grounds.has(e)) {
            const {backgroundColor, backgroundImage, opacity} = getComputedStyle(e);
            const own = `${backgroundColor} ${backgroundImage} ${opacity} `;
            const bare = own === 'rgba(0, 0, 0, 0) none 1 ';
            grounds.set(e, ground(e.parentElement) + (bare ? '' : own));
        }
        return grounds.get(e);
    };
    const examples = new Map();
    for (const e of document.querySelectorAll('body *')) {
        const holdsWords = [...e.childNodes].some(kid => kid.nodeType === 3 && kid.data.trim());
        if (!holdsWords || !e.checkVisibility()) continue;
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(e);
        const around = getComputedStyle(e.parentElement).color;
        const key = [color, around, fontSize, fontWeight, textShadow, ground(e)].join();
        if (!examples.has(key)) examples.set(key, e);
    }
    return [...examples.values()];
})()"""


def _violations(browser: Chromium) -> Any:
    """Let axe look at what is shown now, at each kind of words once: that nothing overlaps is tested below."""
    return browser.run(f"""(async () => {{
        const resultTypes = ['violations'], colors = ['color-contrast', 'link-in-text-block'];
        const words = await axe.run({{include: {EXAMPLES}}}, {{resultTypes, runOnly: colors}});
        const rules = Object.fromEntries(colors.map(rule => [rule, {{enabled: false}}]));
        rules['target-size'] = {{enabled: true}};
        const rest = await axe.run(document, {{resultTypes, rules}});
        return [...words.violations, ...rest.violations]
            .map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).join(' | '));
    }})()""")


@pytest.mark.parametrize(
    ("width", "schemes"),
    [(1440, ["light", "dark"]), (820, ["light"]), (375, ["light", "dark"]), (320, ["light"])],
)
def test_axe_finds_no_violation_on_a_screen(
    browser: Chromium, file: Path, axe: str, width: int, schemes: list[Any]
) -> None:
    browser.open(file, width)
    _unfold(browser)
    browser.run(f"{axe};true")

    for scheme in schemes:
        browser.dress(width, scheme=scheme)
        assert _violations(browser) == []


def test_axe_finds_no_violation_as_the_page_opens(browser: Chromium, file: Path, axe: str) -> None:
    browser.open(file, 794)
    browser.run(f"{axe};true")

    for media in get_args(Media):
        browser.dress(794, media=media)
        assert _violations(browser) == []


def test_axe_sees_what_is_wrong_with_one_of_many_and_in_one_medium(
    browser: Chromium, axe: str, tmp_path: Path
) -> None:
    page = tmp_path / "pale.html"
    page.write_text(
        "<!doctype html><html lang=en><title>Pale</title><style>p { color: #767676 }"
        " @media screen { .dark { background: #ddd } }</style><main><h1>Pale</h1>"
        "<p>Some<p>Some<p>Some<div class=dark><div><p id=pale>Some</div></div><p>Some</main>",
        "utf-8",
    )
    browser.open(page)
    browser.run(f"{axe};true")
    on_screen = _violations(browser)
    browser.dress(media="print")

    assert on_screen == ['color-contrast: <p id="pale">Some</p>']
    assert _violations(browser) == []


def test_no_width_needs_scrolling_sideways(browser: Chromium, file: Path) -> None:
    browser.open(file)
    _unfold(browser)
    found = []
    for width in WIDTHS:
        browser.dress(width)
        found.append(browser.run("document.documentElement.scrollWidth"))

    assert found == [*WIDTHS]


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


DOT: Final = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
PAINTED: Final = f"""new Promise(done => {{
    const image = new Image();
    image.onload = () => done(true);
    setTimeout(() => done(false), 500);
    image.src = '{DOT}';
}})"""
BOXES: Final = """[...document.querySelectorAll('body *')].filter(e => e.checkVisibility())
    .map(e => [e.localName, ...Object.values(e.getBoundingClientRect().toJSON()).map(Math.round)])"""
DRAWINGS: Final = """[...document.querySelectorAll('figure > svg')].filter(e => e.checkVisibility())
    .map(e => e.getAttribute('aria-label'))"""


def test_a_page_is_the_same_with_images_off(browser: Chromium, file: Path) -> None:
    with Chromium(images=False) as other:
        for each in (browser, other):
            each.open(file)
            _unfold(each)
        pictures = [each.run(PAINTED) for each in (browser, other)]
        boxes = [each.run(BOXES) for each in (browser, other)]
        said = [_said(other, "image"), other.run(DRAWINGS)]

    assert pictures == [True, False]
    assert boxes[0] == boxes[1]
    assert said[0] == said[1] != []


def test_a_page_reads_without_its_drawings(browser: Chromium, file: Path) -> None:
    browser.open(file)
    _unfold(browser)
    _style(browser, "figure > svg { display: none !important }")

    told = browser.run("""[...document.querySelectorAll('figure:has(> svg)')].map(figure => {
        const beneath = ['', '+ .trying + script '].map(first => `#${figure.id} ${first}+ .description`);
        const description = document.querySelector(beneath.join());
        return [figure.innerText.length > 40, description?.innerText.length > 200];
    })""")
    assert told
    assert [each for each in told if each != [True, True]] == []
    assert _overlaps(browser, 1440, 375) == {1440: [], 375: []}


def _said(browser: Chromium, role: str) -> list[str]:
    """Give the names that assistive technology finds for all things of a role."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return [
        node.get("name", {}).get("value", "")
        for node in nodes
        if not node["ignored"] and node["role"]["value"] == role
    ]


def test_a_page_reads_without_scripts(browser: Chromium, file: Path) -> None:
    browser.open(file)
    with_scripts = browser.run("document.body.innerText.length")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(file, wait=False)
        said = sum(map(len, _said(browser, "StaticText")))
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)

    assert said > 0.9 * with_scripts


def test_one_layout_of_each_drawing_is_shown(browser: Chromium, file: Path) -> None:
    browser.open(file)
    shown = {}
    for width in (1440, 820, 375):
        browser.dress(width)
        layouts = browser.run(
            "[...document.querySelectorAll('figure > svg')].filter(e => e.checkVisibility())"
            ".map(e => e.classList[1])"
        )
        shown[width] = set(layouts)

    assert shown == {1440: {"wide"}, 820: {"wide"}, 375: {"narrow"}}


def test_words_of_a_drawing_are_large_enough_on_a_phone(browser: Chromium, file: Path) -> None:
    browser.open(file, 375)

    sizes = browser.run(
        "[...document.querySelectorAll('svg.narrow')].flatMap(svg => "
        "[...svg.querySelectorAll('text')].map(text => [text.textContent, "
        "parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a]))"
    )
    assert sizes
    assert [each for each in sizes if each[1] < SMALLEST_TEXT] == []


def _overlaps(browser: Chromium, *widths: int) -> Any:
    """Give, for each width, the pairs of blocks that stand over each other."""
    found = {}
    for width in widths:
        browser.dress(width)
        found[width] = browser.run("""(() => {
            const blocks = 'p, li, dt, dd, summary, figcaption, table, pre, h1, h2, h3, .note, '
                + '.contents, figure > svg';
            const whole = 'table, figcaption, pre, .note, .contents, figure > svg';
            const seen = [...document.querySelectorAll(blocks)].filter(e => e.checkVisibility()
                && !e.parentElement.closest(whole)
                && (e.matches(whole) || !e.querySelector(blocks)));
            const boxes = seen.map(e => [e, e.getBoundingClientRect()])
                .filter(([, b]) => b.width > 2 && b.height > 2)
                .sort(([, a], [, b]) => a.top - b.top);
            const name = e => `${e.localName} ${e.id || e.textContent.trim().slice(0, 30)}`;
            return boxes.flatMap(([e, a], i) => {
                const below = boxes.slice(i + 1);
                const end = below.findIndex(([, b]) => b.top >= a.bottom - 1);
                return below.slice(0, end < 0 ? below.length : end)
                    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1)
                    .map(([other]) => [name(e), name(other)]);
            });
        })()""")
    return found


def _style(browser: Chromium, rules: str) -> None:
    browser.run(
        f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {rules!r}}}))"
    )


def test_nothing_stands_over_anything_else(browser: Chromium, file: Path) -> None:
    browser.open(file)
    folded = _overlaps(browser, 1920, 1440, 1376, 1280, 1152, 1024, 375)
    _unfold(browser)
    unfolded = _overlaps(browser, 1440, 820, 320)

    assert [pairs for pairs in [*folded.values(), *unfolded.values()] if pairs] == []


def test_a_block_over_another_is_found(browser: Chromium, file: Path) -> None:
    browser.open(file)
    _style(browser, "figcaption { margin-top: -2rem !important } .note { top: -30rem !important }")
    found = _overlaps(browser, 1440)[1440]

    assert {name.partition(" ")[0] for pair in found for name in pair} >= {
        "svg", "figcaption", "aside",
    }  # fmt: skip


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
        "[...document.querySelectorAll('a[href], summary, input, button, [tabindex=\"0\"]')]"
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
            "[...document.querySelectorAll('.contents, .anchor, .skip, .where, .trying, summary')]"
            ".filter(e => e.checkVisibility()).length"
        )
        == 0
    )
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
