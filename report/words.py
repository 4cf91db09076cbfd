"""Holds the words an experiment gives for its picture to their shape, before anything is set from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from report.errors import unseen
from report.numbers import kind

SHORTEST_ALT: Final = 125  # characters; fewer leave out what a picture is for
LONGEST_ALT: Final = 250  # more tires who has to listen to it


def fault_of(said: Any) -> str:
    """Say what keeps the words of a picture from their shape (`contracts.Description`); nothing if all fits."""
    if not isinstance(said, dict) or said.keys() != {"alt", "description", "table"}:
        return "`describe` gives something else than `alt`, `description` and `table`"
    return next(_faults(said), "")


def _faults(said: dict[str, Any]) -> Iterator[str]:
    alt, paragraphs = said["alt"], said["description"]
    yield from _not_text("`alt` of `describe`", alt)
    if not SHORTEST_ALT <= len(alt) <= LONGEST_ALT:
        yield (
            f"`alt` of `describe` has {len(alt)} characters,"
            f" and between {SHORTEST_ALT} and {LONGEST_ALT} are wanted"
        )
    if not isinstance(paragraphs, list | tuple) or not paragraphs:
        yield f"`description` of `describe` is {kind(paragraphs)}, not a list of paragraphs"
    for paragraph in paragraphs:
        yield from _not_text("a paragraph of `description`", paragraph)
    if fault := table_fault(said["table"]):
        yield fault


def table_fault(table: Any) -> str:
    """Say what keeps a table from its shape (`contracts.Table`); nothing if all fits."""
    return next(_table_faults(table), "")


def _table_faults(table: Any) -> Iterator[str]:
    if not isinstance(table, dict) or table.keys() != {"caption", "columns", "rows"}:
        yield "the table is something else than `caption`, `columns` and `rows`"
        return
    yield from _not_text("the caption of the table", table["caption"])
    columns, rows = table["columns"], table["rows"]
    lists = isinstance(columns, list | tuple) and isinstance(rows, list | tuple)
    if not (lists and columns and rows):
        yield "the table has no columns or no rows"
        return
    for row in (columns, *rows):
        if not isinstance(row, list | tuple) or len(row) != len(columns):
            yield f"a row of the table is not a list of {len(columns)} cells, one for each column"
            return
        for cell in row:
            yield from _not_text("a cell of the table", cell)


def _not_text(what: str, value: Any) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield f"{what} is {kind(value) if value != '' else 'empty'}, not a text that is already printed"
    elif said := unseen(value):
        yield f"{what} {said}"
