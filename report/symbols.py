"""Sets the symbols in plain text, such as `d_k`, the way the article sets them."""

from __future__ import annotations

import re
from html import escape

_SYMBOL = re.compile(r"(?<!\w)([A-Za-z])_([A-Za-z0-9])(?!\w)")


def symbols(text: str) -> str:
    """Escape plain text as HTML, with `d_k` in italics and its index lowered."""
    return _SYMBOL.sub(r'<span class="sym"><i>\1<sub>\2</sub></i></span>', escape(text))
