"""The divisor of the example row, moved by hand in a real browser: right, readable and quiet, or not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from attention import Array, brief, divisors, jacobian, softmax
from report import trying
from report.numbers import Printer
from report.results import canonical
from tests.browser.chromium import Chromium, program
from tests.finished import ROOT

STEM: Final = "softmax_weights"
SCRIPT: Final = (ROOT / "figures" / f"{STEM}.js").read_text("utf-8")
LONGEST: Final = 6 * 1024  # bytes of the script: no reader should wait for it
STOPS: Final = {"raw": 0, "sqrt": 60, "dk": 120}  # where they stand on the slider
ROWS: Final = [  # scores and d_k: the example, the limits of both, a near-tie, a random row
    ([8, 0, -8, 4], 64),
    ([300, -300, 299.5], 65536),
    ([1.5, 1.4999, -0.25], 2),
    ([3.25, -11.75, 0.0625, 8.125, -2.4375, 6.5, 6.25, -0.005], 80),
]
READ: Final = "[...document.querySelectorAll('.trying td')].map(cell => cell.textContent)"
AT: Final = f"""(at => {{
    const slider = document.querySelector('.trying input');
    slider.value = at;
    slider.dispatchEvent(new Event('input'));
    return {READ};
}})"""
NAMED: Final = """[document.querySelector('.chosen').textContent,
    [...document.querySelectorAll('.stops button')].map(each => each.ariaPressed)]"""
SLIDER: Final = "document.querySelector('.trying input')"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine"),
]


def _bare(folder: Path, scores: list[float], d_k: int) -> Path:
    """Write a page with the script alone, handed some row."""
    page = folder / "row.html"
    placed = trying.placed(SCRIPT, {"scores": scores, "d_k": d_k})
    page.write_text(f"<!doctype html><meta charset=utf-8><title>Row</title>{placed}", "utf-8")
    return page


def _expected(scores: list[float], divisor: float) -> list[str]:
    """Print what the experiments would for any divisor."""
    inputs: Array = np.array(scores, dtype=float) / divisor
    weights = softmax(inputs)
    largest = float(np.max(np.diag(jacobian(weights))))
    row = {"inputs": inputs.tolist(), "weights": weights.tolist()}
    stored = canonical(
        "row", row | {"largest": largest, "raw_score": {"largest": largest / divisor}}
    )
    return _printed(stored, stored)


def test_the_script_is_small() -> None:
    assert len(SCRIPT.encode()) <= LONGEST


def test_at_a_stop_a_reader_sees_the_stored_results(browser: Chromium, file: Path) -> None:
    weights, slopes = (
        json.loads((ROOT / "figures" / f"{stem}.json").read_text("utf-8"))
        for stem in (STEM, "softmax_jacobian")
    )
    browser.open(file)
    for name, at in STOPS.items():
        browser.run(f"document.querySelectorAll('.stops button')[{at // 60}].click()")
        by_button = browser.run(f"[{READ}, {NAMED}]")
        by_slider = browser.run(f"[{AT}({at + 5}), {AT}({at}), {NAMED}].slice(1)")
        cells, (divisor, pressed) = by_button

        assert by_button == by_slider
        assert cells == _printed(weights[name], slopes[name])
        assert divisor.startswith(Printer().brief(weights[name]["divisor"]))
        assert pressed == [str(each == name).lower() for each in STOPS]


def _printed(weights: dict[str, Any], slopes: dict[str, Any]) -> list[str]:
    """Print stored results as the article does: each input with its weight, then the two slopes."""
    say, ends = Printer(), (slopes["largest"], slopes["raw_score"]["largest"])
    row = zip(weights["inputs"], weights["weights"], strict=True)
    keys = [said for z, p in row for said in (brief(say, z, 3), say.weight(p))]
    return [*keys, *(brief(say, end, 3) for end in ends)]


@pytest.mark.parametrize(("scores", "d_k"), ROWS)
def test_everywhere_a_reader_sees_what_the_experiments_would_print(
    browser: Chromium, tmp_path: Path, scores: list[float], d_k: int
) -> None:
    browser.open(_bare(tmp_path, scores, d_k))
    seen = browser.run(f"Array.from({{length: 121}}, (_, at) => {AT}(at))")
    named = {STOPS[name]: divisor for name, divisor in divisors(d_k).items()}
    expected = [_expected(scores, named.get(at, d_k ** (at / 120))) for at in range(121)]

    assert [
        (at, *each)
        for at, each in enumerate(zip(seen, expected, strict=True))
        if each[0] != each[1]
    ] == []


def test_a_head_of_one_component_leaves_nothing_to_try(browser: Chromium, tmp_path: Path) -> None:
    browser.open(_bare(tmp_path, [1, 0], 1))

    assert browser.run("document.querySelector('.trying').childNodes.length") == 0


def test_the_keyboard_moves_the_divisor_and_it_says_where_it_is(
    browser: Chromium, file: Path
) -> None:
    browser.open(file)
    browser.run(f"{SLIDER}.focus()")
    said = []
    for key, code in (("Home", 36), ("ArrowRight", 39), ("ArrowLeft", 37), ("End", 35)):
        browser.press(key, code)
        said.append(browser.run(f"{SLIDER}.getAttribute('aria-valuetext')"))

    assert said == [
        "divided by 1, which is no scaling", "divided by 1.04", "divided by 1, which is no scaling",
        "divided by 64, which is d_k",
    ]  # fmt: skip


def test_a_screen_reader_finds_everything_by_name(browser: Chromium, file: Path) -> None:
    browser.open(file)
    nodes = browser.call("Accessibility.queryAXTree", nodeId=_mount(browser))["nodes"]
    named = [
        (node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"]
    ]

    assert [each for each in named if each[0] in ("group", "slider", "button", "table")] == [
        ("group", "Try another divisor"),
        ("slider", "The same row, divided by"),
        ("button", "1"),
        ("button", "8 = √dk"),
        ("button", "64 = dk"),
        ("table", "Attention weight on each key"),
        ("table", "Largest slope, of 0.25 at most"),
    ]


def _mount(browser: Chromium) -> int:
    """Find the element that the script fills, whether or not scripts run."""
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    found: int = browser.call("DOM.querySelector", nodeId=root, selector=".trying")["nodeId"]
    return found


def test_what_came_of_it_is_read_out_once_when_the_reader_rests(
    browser: Chromium, file: Path
) -> None:
    browser.open(file)
    browser.run("""(() => {
        const heard = document.querySelector('.trying [role="status"]');
        window.heard = [];
        new MutationObserver(() => window.heard.push(heard.textContent))
            .observe(heard, {childList: true});
    })()""")
    moves = "; ".join(f"{AT}({at})" for at in range(30, 60))
    browser.run(f"{moves}; {SLIDER}.dispatchEvent(new Event('change'))")
    browser.run(f"{AT}(60); {SLIDER}.dispatchEvent(new Event('change'))")
    at_once = browser.run("window.heard")
    browser.run("new Promise(done => setTimeout(done, 1000))")

    assert at_once == []
    assert browser.run("window.heard") == [
        "Weights 0.47, 0.17, 0.06, 0.29. Largest slope 0.249 at the softmax input, "
        "0.0312 from the raw score."
    ]


def test_without_scripts_the_figure_stands_alone(browser: Chromium, file: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(file, wait=False)
        mount = _mount(browser)
        inside = browser.call("DOM.querySelectorAll", nodeId=mount, selector="*")["nodeIds"]
        edges = browser.call("DOM.getBoxModel", nodeId=mount)["model"]["margin"]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)

    assert inside == []
    assert edges[1] == edges[5]  # its upper edge, margin included, is its lower one


def test_a_bar_does_as_the_reader_asked_of_every_page(browser: Chromium, file: Path) -> None:
    browser.open(file)
    seen = []
    for feature, value in (
        ("prefers-reduced-motion", "no-preference"),
        ("prefers-reduced-motion", "reduce"),
        ("prefers-color-scheme", "dark"),
        ("forced-colors", "active"),
    ):
        features = [
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": feature, "value": value},
        ]
        browser.call("Emulation.setEmulatedMedia", features=features)
        bar = "getComputedStyle(document.querySelector('.bar'))"
        seen.append(browser.run(f"[{bar}.transitionDuration, {bar}.backgroundColor]"))
    moving, still, dark, forced = seen

    assert (moving[0], still[0]) == ("0.15s, 0.15s", "0s")
    assert [each[1] for each in (still, dark, forced)] == [
        "rgb(24, 71, 154)", "rgb(169, 199, 255)", "rgb(0, 0, 0)",
    ]  # fmt: skip


def test_no_number_is_cut_off_or_leaves_the_frame(browser: Chromium, file: Path) -> None:
    browser.open(file)
    for width in (1440, 720, 375, 320):
        browser.dress(width)
        cut = browser.run(f"""(() => {{
            const frame = document.querySelector('.trying fieldset').getBoundingClientRect();
            const cut = [];
            for (const at of [0, 7, 60, 83, 120]) {{
                {AT}(at);
                for (const e of document.querySelectorAll('.trying :is(td, th, button, .chosen, td span)')) {{
                    const overflows = e.clientWidth && e.scrollWidth > e.clientWidth + 1;
                    if (overflows || e.getBoundingClientRect().right > frame.right) cut.push(e.outerHTML);
                }}
            }}
            return cut;
        }})()""")
        assert cut == []


def test_the_policy_of_the_page_runs_no_script_but_this(
    browser: Chromium, file: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    alien = "document.title = 'Not mine'"
    image = f'<img src="data:," alt="" onerror="{alien}">'
    html = file.read_text("utf-8").replace("</main>", f"<script>{alien}</script>{image}</main>")
    page.write_text(html, "utf-8")
    browser.open(page)

    assert browser.run("document.title") != "Not mine"
    assert browser.run("document.querySelectorAll('.trying input').length") == 1
    with pytest.raises(RuntimeError, match="fetch"):
        browser.run("fetch('data:,x')")
