"""Sets the article on paper: one tagged PDF, laid out, mended and completed.

`document` is the door: it writes the HTML that only `paper` reads. `engine` is the one door to what lays
it out: `pages` are made, `layout` measures them, and `composition` reckons where figures and notes go
best. The `attachments` hold the data. `standard` completes the file: `structure` mends its tags, `gaps`
parts its words, and `codes` tell what letters stand for. `places` finds what has a name in the finished
file.
"""
