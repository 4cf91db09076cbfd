"""A small article with something to learn in it, bound to one run; nothing is drawn, no page is set."""

from __future__ import annotations

from typing import Any, Final

from report import experiment
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.project import open_project, read_settings
from report.results import loads
from tests.conftest import Tiny
from tests.test_asking import LUCK

TEXT: Final = r"""
::: short-answer
A die has {{ dice.sides | count }} sides (*see* [](#roll) and [the *law*](#law)), & shows each with $\frac{1}{n}$.
:::

## The law of $n$ throws {#law}

A cited law: {{ cite("knuth1997", "ch. 2") }}, {{ cite("pascal1654") }}, {{ cite("team2024") }}.

::: figure roll
**Means of $n$ throws stray.** Each mark is one mean.
:::

::: figure faces
**All faces are alike.** The bar is the share of each.
:::

:::: self-test
::: question spread
Where does the mean of {{ roll.throws_last }} lie?

???

{% claim roll.high %}High{% else %}Low{% endclaim %}: at {{ roll.means["20"] | fixed(3) }} ([](#roll)), as
$\frac{1}{n} < x$ & [others](https://example.org/a) say.
:::
::: question
Is this one asked again?

???

No: it has no name.
:::
::::

## In brief {#brief}

:::: summary
### Numbers {#numbers-to-keep}

::: key-numbers
- **{{ roll.means["20"] | fixed(3) }}** The mean of $n$ throws. {#mean}
:::

### Law {#brief-law}

$$\frac{1}{n}$$

### Traps {#traps}

::: traps
1. **"It is _due_."** Dice forget; the mean is {% claim roll.high %}high{% else %}low{% endclaim %}. {#due}
:::
::::

## Sources {#sources}

{{ sources() }}
"""
SOURCES: Final = """\
[knuth1997]
authors = "Knuth and Plass"
year = 1997
title = "What is <random> & {why}?"
url = "https://example.org/a_b/c%20d"
where = "ch. 2"
supports = "the root of 5%"

[pascal1654]
authors = "Pascal et al."
year = "1654a"
title = "Letters"
arxiv = "1654.00001v2"
supports = "the question"

[team2024]
authors = "Über_Team"
year = 2024
title = "A report"
venue = "Workshop"
supports = "a name"
"""


def lay(tiny: Tiny) -> Tiny:
    """Put the article into a small project."""
    front = tiny.read("templates/article.md").partition("\n\n:::")[0]
    text = TEXT.replace("roll.throws_last", "parameters.roll.throws[1] | count")
    tiny.write("templates/article.md", f"{front}\n{text}")
    tiny.write("templates/sources.toml", SOURCES)
    tiny.write("figures/roll.py", tiny.read("figures/roll.py") + LUCK)
    return tiny


def bound(tiny: Tiny, **overrides: Any) -> tuple[Article, World]:
    """Bind the article to a run."""
    project = open_project(tiny.root)
    settings = read_settings(project, overrides)
    loaded = {stem: experiment.load(project, stem) for stem in project.stems}
    results = {s: loads(s, experiment.measure(project, e, settings)) for s, e in loaded.items()}
    words = {s: experiment.describe(project, each, results[s]) for s, each in loaded.items()}
    ledger = Ledger.of(judge(each, results[stem]) for stem, each in loaded.items())
    world = World(project, settings, results, words, Origin({}, "make report"), ledger)
    return compose(world), world


def said(article: Article) -> str:
    """Print the mean that the article turns on."""
    [printed] = {q.printed for q in article.quotes if q.path == "roll.means.20"}
    return printed
