"""A static report generator whose every number answers to the run that produced it.

Data walks one way, from seed to PDF. `project` finds things and reads `seeds.toml`; whatever is `authored`
is read through one door. `experiment` loads `figures/STEM.py`, holds its `parameters` against what it
declares and lets it measure with the random `streams` of its own values; whatever fails inside is put down,
by `blame`, to its line. `results` is the one door to the stored answer: canonical JSON out, values that know
their path back in.
From what was stored the experiment describes and, on a `canvas`, draws; `style` says in which colors and
fonts, `lettering` sets the words, a `sheet` of matplotlib takes the shapes, `proof` reads it all before a
reader does, and the `words` about it are held to their shape. The drawing is kept `neutral`, without
colors; `svg` makes it ready for page, print and file.

`article` joins the answers to the text: `binding` runs the template in a `sandbox`, `numbers` prints and
remembers what was printed, `marks` stand for what no later step may read, `slips` finds what the author
left open, `markdown` writes the HTML, `sources` keeps the literature honest. A `formula` is read once from
`tex`, with its `signs` and `spacing`, and set four ways: as `running` text or MathML, as an `outline` for
print, and in `speech`; `symbols` in plain words are set alike. `page` makes the HTML file, with what only
a `screen` needs and `inert`, and `pdf` the PDF, with what only `paper` needs; `parts` are set alike in
both, and the `colophon` says how the numbers were made. `engine` is the one door to what lays out paper:
`pages` are made, `layout` measures them, `composition` reckons where figures and notes go best, and
`pdf_standard` completes the file and attaches the data: `structure` mends its tags, `gaps` parts its words.

At a `glance`, before anything is imported, a build sees that nothing moved. Otherwise `freshness` knows
what is stale and why: `code` is followed by name through the `statements` of its modules, and `versions`
of what it imports are read. `build` takes the `stages` in turn, results before outputs; a `crew` of
`worker` processes runs just what is stale, side by side; the `shelf` puts every file in place whole, and
`record` remembers it. `progress` tells meanwhile, `summary` at the end, `status` without building.

To `verify` a PDF, what is `carried` in it tells its `origin`, and the `ink` on its pages, down to `letters`
and other `objects`, the `sight` that a reader has of it; `codes` tell what letters stand for. It should be
`consistent` with itself; the sources `remake` it to `compare` the two, and every `difference` has its name in
the `verdict`.

The prose leans on `claims`, judged against each result; a `sweep` counts the seeds they hold in. `lint`
finds numbers from nowhere. A `reading` keeps all that a reader is told; `moved` tells what differs between
two of them, in the `wording` that moved; and `asking` answers whoever wants to know. `cli` is the door a
person uses, `system` brings what a machine lacks before there is any environment, and `contracts` are what
an experiment may count on. A mistake of the user's is one sentence (`errors`); an exception is a fault of
the generator.
"""
