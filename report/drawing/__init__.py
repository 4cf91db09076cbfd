"""Turns what was stored into a drawing: a `canvas` of roles in, one neutral SVG out, set for each reader.

The `canvas` is what an experiment draws on. `lettering` sets its words, a `sheet` of matplotlib takes
its shapes, and `proof` reads it all before a reader does. The drawing is kept `neutral`, without
colors; `svg` makes it ready for page, print and file.
"""
