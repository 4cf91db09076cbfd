"""The way in: `python -m report` and the console script `report` are the same."""

from __future__ import annotations

import sys


def main() -> None:
    """Hand over to the command line, which is imported here: every worker imports this file too."""
    try:
        from report.cli import main as command_line  # noqa: PLC0415 - see above
    except KeyboardInterrupt:
        print("Error: stopped before anything began.", file=sys.stderr)
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
