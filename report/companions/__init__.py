"""What stands beside page and PDF for the programs people learn and write with.

A `deck` of cards for Anki, kept in Anki's own format by `apkg`; a `note` for Obsidian that links into
the PDF; and `citations` of the article and of what it cites, for Zotero and BibTeX. All of it is set
from the same bound article as the page, and so says the same under any seed; it is a `stage` of its own,
after page and PDF.
"""
