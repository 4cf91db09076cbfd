"""`python -m report` is the console script `report`."""

from __future__ import annotations


def main() -> None:
    """Hand over to the command line; imported late, because every worker process imports this file."""
    from report.cli import main as command_line  # noqa: PLC0415 - see above

    command_line()


if __name__ == "__main__":
    main()
