"""Runs a template piece by piece, so that an edit compiles anew only the piece it touches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import CodeType
from typing import Any

import jinja2

_TAG = re.compile(
    r"\{%[-+]?\s*(?P<end>end)?(?P<name>\w+)(?P<more>[^%]*)|^(?P<heading>##+ )", re.MULTILINE
)
_BLOCKS = frozenset(("if", "for", "macro", "call", "filter", "with", "raw", "set", "claim"))
_WHOLE = frozenset(("extends", "block"))  # they join what stands far apart

_last: dict[str, CodeType] = {}  # what the pieces of the last text became


def run(env: jinja2.Environment, name: str) -> str:
    """Give what a template says; what one piece sets, those after it know.

    Raises whatever its loader, Jinja or a value raises, as if the piece were all there is.
    """
    assert env.loader is not None
    source, _, _ = env.loader.get_source(env, name)
    pieces = list(cut(source))
    codes = {piece: _last.get(piece) or env.compile(piece, name, name) for piece in pieces}
    _last.clear()
    _last.update(codes)
    said: list[str] = []
    known: dict[str, Any] = {}
    for piece in pieces:
        template = jinja2.Template.from_code(env, codes[piece], env.make_globals(None))
        context = template.new_context(known)
        said += template.root_render_func(context)
        known |= context.vars
    return "".join(said)


def cut(source: str) -> Iterator[str]:
    """Part a template before each heading that stands in no block."""
    depth, begin = 0, 0
    for tag in _TAG.finditer(source):
        if tag["heading"]:
            if depth == 0 and tag.start() > begin:
                yield source[begin : tag.start()]
                begin = tag.start()
        elif tag["name"] in _WHOLE:
            break
        elif tag["name"] in _BLOCKS and not (tag["name"] == "set" and "=" in tag["more"]):
            depth += -1 if tag["end"] else 1
    yield source[begin:]
