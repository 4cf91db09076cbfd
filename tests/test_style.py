"""Colors are measured: contrast in every theme, and differences for every color vision and gray."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from report.errors import Mistake
from report.style import GENERIC, HEAT_FLIP, THEMES, Theme, read_tokens

TEMPLATES = Path(__file__).parent.parent / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
WORDS = ["ink", "ink2", "ink3", "raw-words", "sqrt-words", "dk-words"]
MARKS = ["ink", "ink2", "ink3", "raw", "sqrt", "dk", "heat"]
SCALINGS = ["raw", "sqrt", "dk"]

Vector = NDArray[np.float64]

every_theme = pytest.mark.parametrize("theme", THEMES)

# Machado, Oliveira and Fernandes 2009, table 1: full severity, on linear RGB
DEFICIENT = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LUMINANCE = [0.2126, 0.7152, 0.0722]
XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.072175],
    [0.0193339, 0.119192, 0.9503041],
]
WHITE = [0.95047, 1.0, 1.08883]


def linear(color: str) -> Vector:
    """sRGB decoded, IEC 61966-2-1: `#RRGGBB` to three numbers from 0 to 1."""
    coded = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


def mix(over: str, under: str, opacity: float) -> str:
    """A color made transparent over another, as a browser does it: in coded sRGB."""
    pairs = [(int(over[i : i + 2], 16), int(under[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * opacity + b * (1 - opacity)):02X}" for a, b in pairs)


def contrast(one: str, two: str) -> float:
    """Contrast ratio, WCAG 2.2."""
    lighter, darker = sorted(
        (float(linear(color) @ LUMINANCE) for color in (one, two)), reverse=True
    )
    return (lighter + 0.05) / (darker + 0.05)


def lab(light: Vector) -> tuple[float, float, float]:
    """CIE L*a*b* of linear RGB, white D65."""
    ratio = np.array(XYZ) @ np.clip(light, 0, 1) / WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return float(116 * y - 16), float(500 * (x - y)), float(200 * (y - z))


def seen(color: str, vision: str) -> tuple[float, float, float]:
    """A color as a color-deficient eye or a gray print shows it, in L*a*b*."""
    light = linear(color)
    return lab(
        np.full(3, light @ LUMINANCE) if vision == "gray" else np.array(DEFICIENT[vision]) @ light
    )


def difference(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """ΔE 2000, Sharma, Wu and Dalal 2005, equations 2 to 22."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    c7 = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - math.sqrt(c7 / (c7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    dh = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    mean_h = h1 + h2 if not c1 * c2 else (h1 + dh / 2) % 360
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    t = sum(
        factor * math.cos(math.radians(times * mean_h - shift))
        for factor, times, shift in ((-0.17, 1, 30), (0.24, 2, 0), (0.32, 3, -6), (-0.2, 4, 63))
    )
    fifty = (mean_l - 50) ** 2
    s_l, s_c = 1 + 0.015 * fifty / math.sqrt(20 + fifty), 1 + 0.045 * mean_c
    s_h = 1 + 0.015 * mean_c * (1 + t)
    turn = 60 * math.exp(-(((mean_h - 275) / 25) ** 2))
    r = -2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * math.sin(math.radians(turn))
    big_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh / 2))
    parts = (l2 - l1) / s_l, (c2 - c1) / s_c, big_h / s_h
    return math.sqrt(sum(part**2 for part in parts) + r * parts[1] * parts[2])


# The yardsticks themselves


def test_contrast_of_black_on_white_is_21() -> None:
    actual = contrast("#000000", "#FFFFFF")

    assert actual == pytest.approx(21)


@pytest.mark.parametrize(
    ("one", "two", "expected"),  # Sharma, Wu and Dalal 2005, table 1, pairs 1, 7, 17, 25 and 30
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ],
)
def test_the_color_difference_agrees_with_its_published_data(
    one: tuple[float, float, float], two: tuple[float, float, float], expected: float
) -> None:
    actual = difference(one, two)

    assert actual == pytest.approx(expected, abs=5e-5)


# What the tokens must bear


@every_theme
@pytest.mark.parametrize("ground", ["paper", "panel"])
@pytest.mark.parametrize("role", WORDS)
def test_words_can_be_read_on_paper_and_panel(role: str, ground: str, theme: Theme) -> None:
    actual = contrast(TOKENS.color(role, theme), TOKENS.color(ground, theme))

    assert actual >= 4.5


@every_theme
@pytest.mark.parametrize("role", MARKS)
def test_marks_stand_out_from_paper(role: str, theme: Theme) -> None:
    actual = contrast(TOKENS.color(role, theme), TOKENS.color("paper", theme))

    assert actual >= 3


@every_theme
def test_words_on_a_filled_badge_can_be_read(theme: Theme) -> None:
    actual = contrast(TOKENS.color("paper", theme), TOKENS.color("sqrt", theme))

    assert actual >= 4.5


@every_theme
def test_words_on_a_heat_map_can_be_read_on_every_cell(theme: Theme) -> None:
    heat, paper = TOKENS.color("heat", theme), TOKENS.color("paper", theme)
    worst = min(
        contrast(
            TOKENS.color("onheat" if share > HEAT_FLIP else "onheat-pale", theme),
            mix(heat, paper, share),
        )
        for share in np.linspace(0, 1, 501)
    )

    assert worst >= 4.5


@every_theme
@pytest.mark.parametrize("vision", DEFICIENT)
def test_the_three_scalings_differ_for_every_color_vision(vision: str, theme: Theme) -> None:
    colors = [seen(TOKENS.color(role, theme), vision) for role in SCALINGS]
    closest = min(difference(one, two) for one, two in combinations(colors, 2))

    assert closest >= 20


@every_theme
def test_the_three_scalings_differ_in_gray_print(theme: Theme) -> None:
    colors = [seen(TOKENS.color(role, theme), "gray") for role in SCALINGS]
    closest = min(difference(one, two) for one, two in combinations(colors, 2))

    assert closest >= 10


# Reading tokens


def test_every_theme_gives_the_page_and_the_drawings_all_roles() -> None:
    dark = TOKENS.css("dark")

    assert "--paper: #15171B;" in dark
    assert all(
        f"--fig-{role}: " in dark for role in [*GENERIC, *MARKS, *WORDS, "onheat", "onheat-pale"]
    )


def test_a_project_without_tokens_has_the_generic_roles() -> None:
    assert set(read_tokens(None).roles) == set(GENERIC)


def test_a_role_that_is_misspelt_names_the_nearest_one() -> None:
    with pytest.raises(Mistake, match=r"'sqr', which no token defines.*'sqrt'"):
        TOKENS.color("sqr", "light")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[glow]\nprint = '#123456'\nlight = '#123456'",
            r"line 1: the role \[glow\] needs a color",
        ),
        ("glow = '#123456'", r"line 1: the role \[glow\] needs a color each"),
        (
            "[glow]\nprint = '#123456'\nlight = 'red'\ndark = '#123456'",
            r"line 3: \[glow\] light expects a color like #18479A, not 'red'",
        ),
        ("['--}']\nprint = '#123456'", "line 1: '--}' cannot name a role"),
        ("[glow", "line 1: this is not TOML"),
    ],
)
def test_a_bad_token_is_refused_with_its_file(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(Mistake, match=rf"templates/tokens.toml, {message}"):
        read_tokens(path)
