"""A static report generator whose every number answers to the run that produced it.

Data walks one way, from seed to PDF. `project` finds things and reads `seeds.toml`, the `overrides` of
the command line over it; whatever is `authored` is read through one door. `experiment` loads
`figures/STEM.py`, whose name must not be `reserved`, holds its `parameters` against what it declares and
lets it measure with the random `streams` of its own values; nothing may be `opened` meanwhile that no
build would see change, and whatever fails inside is put down, by `blame`, to its line. `results` is the
one door to the stored answer: canonical JSON out, values that know their path back in. From what was
stored the experiment describes and makes a `drawing`; `style` says in which colors and fonts, and the
`words` about it are held to their shape.

`article` joins the answers to the text: `binding` runs the template in a `sandbox`, by `pieces` as far as
it goes, once nothing of its syntax is `leftover` among the words, `numbers` prints and remembers what was
printed, `marks` stand for what no later step may read, `slips` finds what the author left open, `markdown`
writes the HTML, `sources` keeps the literature honest.
A `formula` is read once and set as each reader needs it; `symbols` in plain words are set alike. `page`
makes the HTML file, with what only a `screen` needs, what is there for `trying` by hand, and `inert`, and
`pdf` the PDF; `parts` are set alike in both, and the `colophon` says how the numbers were made. What has a
name to be asked by makes `cards`; `companions` set them, a note and citations for the programs people
learn and write with.

At a `glance`, before anything is imported, a build sees that nothing moved. Otherwise `freshness` knows what is
stale and why: `code` is followed by name through the `statements` of its modules, through their `imports` and
the `effects` some have elsewhere, as far as it is not `known` from before; its `inputs` are the files it names,
by texts and by `paths` put together, or all `data`, and the `variables` of the environment it asks for; of what
it imports `versions` are read, or the code where it is `unversioned`. `build` takes the `stages` in turn,
results before outputs; a `crew` of `worker` processes runs just what is stale, side by side; the `shelf` puts
every file in place whole, and `record` remembers it. `progress` tells meanwhile, `summary` at the end, `status`
without building. A `watch` hears of `edits` and builds after each in processes that stay warm; what it makes is
`served` to the browsers of this machine.

The prose leans on `claims`, judged against each result; a `sweep` counts the seeds they hold in, the `tally` of
each, by the crew here or by a `cluster`, whose every process must see `alike`. `lint` finds numbers from
nowhere. A `reading` keeps all that a reader is told; `moved` tells what differs between two of them, in the
`wording` and the `labels` that moved, and `since` binds it into a PDF for whoever has an earlier copy; `asking`
answers whoever wants to know. To `verify` a PDF, it is held against itself and made again from its sources.
`cli` is the door a person uses, `stopping` ends what it does when that is wished, `new` lays out another article
to begin from, `system` brings what a machine lacks before there is any environment, and `contracts` are what an
experiment may count on. A mistake of the user's is one sentence (`errors`); an exception is a fault of the
generator.
"""
