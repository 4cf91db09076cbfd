"""What may be tried by hand at a figure is one script, with its result, and reaches nothing else."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from tinyhtml5.parser import HTMLParser

from report import trying
from report.errors import Mistake
from report.freshness import Depends
from report.glance import file_digest
from report.project import open_project, read_settings
from report.results import bind
from tests.conftest import Run, Tiny

SCRIPT = '// All by hand.\n"use strict";\nconst i = 1 < 2;\n'
PLACED = ["faces", "roll"]


def test_a_script_beside_an_experiment_is_taken_as_it_is(tiny: Tiny) -> None:
    tiny.path("figures/roll.js").write_bytes(SCRIPT.replace("\n", "\r\n").encode())

    assert trying.scripts(open_project(tiny.root), PLACED) == {"roll": SCRIPT}


def test_a_script_of_no_figure_is_refused_with_the_nearest_one(tiny: Tiny) -> None:
    tiny.write("figures/rol.js", SCRIPT)
    with pytest.raises(
        Mistake, match=r"^figures/rol\.js: .*no figure 'rol' \(did you mean 'roll'\?\)"
    ):
        trying.scripts(open_project(tiny.root), PLACED)


@pytest.mark.parametrize(
    "reaching",
    ["fetch('x')", "new XMLHttpRequest()", "new WebSocket(x)", "navigator.sendBeacon(x)", "eval(x)",
     "new Function(x)", "import('./x.js')", "localStorage.x = 1", "document.cookie", "window.open (x)",
     "location = x", "new Image().src = x", "a.href = x", "e.innerHTML = x", "document.write(x)",
     "'https://example.org'", "new Worker(x)", "// </script>", "'<!--'", "'<script>'", "'<h2 id=x>'"],
)  # fmt: skip
def test_a_script_that_reaches_beyond_its_figure_is_refused_at_its_line(
    tiny: Tiny, reaching: str
) -> None:
    tiny.write("figures/roll.js", f"{SCRIPT}{reaching}\n")
    with pytest.raises(Mistake, match=r"^figures/roll\.js, line 4: .* reaches beyond the figure"):
        trying.scripts(open_project(tiny.root), PLACED)


def test_no_text_of_a_result_ends_the_script_or_leaves_its_place() -> None:
    evil = "</script><script>alert(1)</script>\" '--> & &quot; <!-- é"
    result = {"words": evil, evil: [1, 0.5, True]}
    root = HTMLParser(namespace_html_elements=False).parse(
        trying.placed(SCRIPT, bind("roll", result))
    )
    mount, script = next(root.iter("body"))

    assert json.loads(mount.attrib.pop("data-result")) == result
    assert dict(mount.attrib) == {"class": "trying"}
    assert (script.text, dict(script.attrib)) == (SCRIPT, {})


def test_a_fingerprint_is_the_hash_a_browser_takes() -> None:
    kind, _, digest = trying.fingerprint(SCRIPT).partition("-")

    assert kind == "sha256"
    assert base64.b64decode(digest, validate=True) == hashlib.sha256(SCRIPT.encode()).digest()


@pytest.mark.usefixtures("undisturbed")
def test_an_edited_script_moves_the_page_alone(tiny: Tiny) -> None:
    def parts() -> list[dict[str, str]]:
        depends = Depends(project, read_settings(project))
        told = depends.measure("roll", {}), depends.draw("roll", ""), depends.paper({}, {}, "a4")
        return [depends.page({}, {}), *told]

    project = open_project(tiny.root)
    still, *others = parts()
    tiny.write("figures/roll.js", SCRIPT)
    tried, *same = parts()

    digest = file_digest(tiny.path("figures/roll.js"))
    assert dict(tried.items() - still.items()) == {"file figures/roll.js": digest}
    assert same == others


@pytest.mark.usefixtures("undisturbed", "swift")
def test_a_build_says_why_the_page_is_set_again(tiny: Tiny, run: Run) -> None:
    words = ["build", "--explain", "--project", tiny.root]
    run(*words)
    tiny.write("figures/roll.js", SCRIPT)
    status, said, _ = run(*words)
    tiny.path("figures/roll.js").write_bytes(SCRIPT.replace("\n", "\r\n").encode())

    assert status == 0
    assert "set again, as figures/roll.js is new" in said
    assert said.count(" again, as ") == 1
    assert "Nothing to do" in run(*words)[1]
