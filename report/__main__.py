"""The way in: `python -m report` and the console script `report` are the same."""

from __future__ import annotations

import sys

# Every worker process imports this file too, so it imports nothing by itself.


def main() -> None:
    """Answer at a glance if nothing is to be done; else hand over to the command line."""
    try:
        if {"--help", "-h"}.isdisjoint(sys.argv):
            from report.glance import at_a_glance  # noqa: PLC0415 - see above

            if at_a_glance(sys.argv[1:]):
                return
        from report.cli import main as command_line  # noqa: PLC0415 - see above
    except KeyboardInterrupt:
        print("Error: stopped before anything began.", file=sys.stderr)
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
