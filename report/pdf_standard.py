"""What makes the PDF archival and accessible beyond what its engine writes, and what is attached."""

from __future__ import annotations

from typing import Any

from report.article import Article, World


def names(world: World) -> list[str]:
    return [f"{stem}.json" for stem in world.results] + ["parameters.json", "versions.json"]


def attachments(article: Article, world: World) -> list[Any]:
    return []


def finish(data: bytes) -> bytes:
    return data
