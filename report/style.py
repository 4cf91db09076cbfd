"""How drawings and pages look: colors by role in three themes, sizes, strokes and fonts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NoReturn

from report import authored
from report.errors import Mistake, shortened
from report.results import nearest

Theme = Literal["print", "light", "dark"]
Layout = Literal["wide", "narrow", "compact"]
Kind = Literal["title", "strong", "body", "small"]
Weight = Literal["regular", "semibold"]

THEMES: Final[tuple[Theme, ...]] = ("print", "light", "dark")

# What every drawing has, whatever it is about: (print, light, dark). `ink2` and `ink3` are quieter
# words; `rule` and `grid` only decorate, nothing is read from them.
GENERIC: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "paper": ("#FFFFFF", "#FCFBF8", "#15171B"),
        "panel": ("#F5F4F0", "#F3F1EB", "#1E2126"),
        "ink": ("#141311", "#1C1B19", "#E8E5DE"),
        "ink2": ("#4A4741", "#4F4C46", "#B9B5AB"),
        "ink3": ("#69655D", "#6A665E", "#989389"),
        "rule": ("#CFCBC1", "#D3CFC5", "#3A3E46"),
        "grid": ("#E4E1D9", "#E7E4DC", "#2A2D33"),
        "link": ("#18479A", "#18479A", "#A9C7FF"),
        "warn": ("#BF4316", "#BF4316", "#F08552"),
    }
)


@dataclass(frozen=True)
class Face:
    """One cut of a font: how SVG and CSS name it, and its file in `templates/fonts/`."""

    family: str
    weight: int
    style: Literal["normal", "italic"]
    file: str


# (kind, weight) -> face. Symbols are serif italic wherever they stand; digits in them are upright.
FACES: Final[Mapping[tuple[str, Weight], Face]] = MappingProxyType(
    {
        ("sans", "regular"): Face("Quill Sans", 400, "normal", "QuillSans-Regular.ttf"),
        ("sans", "semibold"): Face("Quill Sans", 600, "normal", "QuillSans-Semibold.ttf"),
        ("symbol", "regular"): Face("Quill Text", 400, "italic", "QuillText-Italic.ttf"),
        ("symbol", "semibold"): Face("Quill Text", 600, "italic", "QuillText-SemiboldItalic.ttf"),
        ("upright", "regular"): Face("Quill Text", 400, "normal", "QuillText-Regular.ttf"),
        ("upright", "semibold"): Face("Quill Text", 600, "normal", "QuillText-Semibold.ttf"),
    }
)

# A wide drawing is measured in points of the printed page (162 mm), a narrow one in pixels of a
# 375-pixel phone with a 16-pixel margin; UNIT is what a printed point becomes there.
WIDTH: Final[Mapping[Layout, float]] = MappingProxyType(
    {"wide": 459.0, "compact": 459.0, "narrow": 343.0}
)
UNIT: Final[Mapping[Layout, float]] = MappingProxyType(
    {"wide": 1.0, "compact": 1.0, "narrow": 4 / 3}
)
# Kinds of words: titles of panels, what a panel is about or says first, words, and asides.
WEIGHTS: Final[Mapping[Kind, Weight]] = MappingProxyType(
    {"title": "semibold", "strong": "semibold", "body": "regular", "small": "regular"}
)
_PRINTED: Final[Mapping[Kind, float]] = MappingProxyType(
    {"title": 9.5, "strong": 8.5, "body": 8.5, "small": 8.0}
)
SIZES: Final[Mapping[Layout, Mapping[Kind, float]]] = MappingProxyType(
    {
        "wide": _PRINTED,
        "compact": _PRINTED,
        "narrow": MappingProxyType({"title": 12.75, "strong": 12.0, "body": 12.0, "small": 11.5}),
    }
)
SMALLEST: Final[Mapping[Layout, float]] = MappingProxyType(
    {"wide": 8.0, "compact": 8.0, "narrow": 11.0}
)
COMPACT: Final = 0.85  # height of a main panel in the compact layout, against the wide one

# Strokes and marks in printed points.
STROKES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "hair": 0.6,
        "dotted": 0.7,
        "flow": 1.0,
        "interval": 1.1,
        "data": 1.3,
        "outline": 1.5,
        "lane": 2.4,
    }
)
MARKS: Final[Mapping[str, float]] = MappingProxyType(
    {"circle": 5.4, "square": 4.7, "diamond": 4.4, "dot": 4.2}
)
RING: Final = 0.9  # the paper-colored ring that lifts a mark off its line
DOTS: Final = (1.0, 2.4)  # dash and gap of a dotted line
HEAT_FLIP: Final = 0.707  # opacity of a heat cell above which its words turn from dark to `onheat`


@dataclass(frozen=True)
class Tokens:
    """Colors of every role, generic ones and the article's own: role -> theme -> `#RRGGBB`."""

    roles: Mapping[str, Mapping[Theme, str]]

    def __hash__(self) -> int:
        """Hash the names alone: a mapping has no hash of its own."""
        return hash(tuple(self.roles))

    def color(self, role: str, theme: Theme) -> str:
        """Give one color; raise Mistake that names the nearest role if there is no such one."""
        if role not in self.roles:
            raise Mistake(
                f"a drawing uses the color role '{role}', which no token defines"
                f"{nearest(role, list(self.roles))}",
                then="define it in templates/tokens.toml",
            )
        return self.roles[role][theme]

    def css(self, theme: Theme) -> str:
        """Write one theme's custom properties: `--ROLE` for the page, `--fig-ROLE` for drawings."""
        page = [f"--{role}: {self.color(role, theme)};" for role in GENERIC]
        drawings = [f"--fig-{role}: {self.color(role, theme)};" for role in self.roles]
        return " ".join(page + drawings)


def read_tokens(path: Path | None) -> Tokens:
    """Read an article's `tokens.toml` and lay it over the generic roles; None reads nothing.

    Raises Mistake for a file that is no TOML, an unfit role name, a missing theme, or no color.
    """
    roles: dict[str, dict[Theme, str]] = {
        role: {"print": paper, "light": light, "dark": dark}
        for role, (paper, light, dark) in GENERIC.items()
    }
    if path is None or not path.exists():
        return Tokens(roles)
    file = f"templates/{path.name}"
    source = authored.text(path, file)

    def fail(what: str, role: str, theme: str = "") -> NoReturn:
        line = authored.line_of(source, role, theme) or authored.line_of(source, "", role)
        raise Mistake(what, file=file, line=line)

    data = authored.toml(source, file)
    return Tokens(roles | {role: _shades(role, shades, fail) for role, shades in data.items()})


def _shades(role: str, shades: object, fail: Callable[..., NoReturn]) -> dict[Theme, str]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", role):
        fail(f"'{role}' cannot name a role, for only small letters, digits and hyphens can", role)
    if not isinstance(shades, dict) or set(shades) != set(THEMES):
        fail(f"the role [{role}] needs a color each for {', '.join(THEMES)}, and no more", role)
    for theme, color in shades.items():
        if not isinstance(color, str) or not re.fullmatch(r"#[0-9A-Fa-f]{6}", color):
            said = f"expects a color like #18479A, not '{shortened(str(color))}'"
            fail(f"[{role}] {theme} {said}", role, theme)
    return {theme: shades[theme] for theme in THEMES}
