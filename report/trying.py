"""What a reader may try by hand at a figure: a script beside its experiment, handed the stored result."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from report import authored, inert
from report.errors import Mistake
from report.project import Project
from report.results import nearest


def scripts(project: Project, stems: Sequence[str]) -> dict[str, str]:
    """Read `figures/STEM.js` of the figures that have one; `stems` are those the article places.

    Raises Mistake for a script that reaches out of its page, and for one of no figure.
    """
    found = {}
    for path in sorted(project.figures.glob("*.js")):
        file = project.shown(path)
        if path.stem not in stems:
            what = f"the article places no figure '{path.stem}'{nearest(path.stem, stems)}"
            raise Mistake(what, file=file, then="name the script as its experiment is named")
        found[path.stem] = authored.text(path, file)
        inert.check_script(found[path.stem], file)
    return found


def placed(script: str, result: Mapping[str, Any]) -> str:
    """Set a script after an empty element that carries the stored result as JSON in `data-result`.

    The element is for the script to fill: where no script runs, nothing is seen of it. In an
    attribute no text of a result can end the script.
    """
    told = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return f'<div class="trying" data-result="{escape(told)}"></div><script>{script}</script>\n'


def fingerprint(script: str) -> str:
    """Give the hash by which a policy lets this script run and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
