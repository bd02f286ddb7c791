"""`python -m tests.demo DIR`: a year of invented health data in a new data directory.

The phone is invented, the intake is that of the service. `make demo` calls this.
"""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from healthlog import cli
from healthlog.base.errors import Refusal
from healthlog.databases import Unusable
from tests.demo.filling import fill
from tests.demo.life import Life
from tests.demo.pushes import Phone
from tests.demo.voice import speak

ZONE = "Europe/Berlin"


def main(argv: list[str] | None = None) -> int:
    """0 once everything is folded, 1 if it could not be done, 2 on wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m tests.demo", description=__doc__)
    parser.add_argument("data", type=Path, metavar="DIR", help="a directory that is empty, or new")
    parser.add_argument("--days", type=int, default=365, help="how many (default: 365)")
    parser.add_argument("--seed", type=int, default=1, help="another seed invents other days")
    parser.add_argument(
        "--until",
        type=datetime.fromisoformat,
        help=f"the local time ({ZONE}) at which the phone was last heard (default: now)",
    )
    arguments = parser.parse_args(argv)
    if arguments.days < 1:
        parser.error("--days must be 1 or more")
    try:
        zone = ZoneInfo(ZONE)
        return _made(arguments, zone)
    except ZoneInfoNotFoundError:
        print(f"{ZONE} is not known here: install the time zone database", file=sys.stderr)
    except (Refusal, Unusable, OSError) as error:
        print(error, file=sys.stderr)
    return 1


def _made(arguments: argparse.Namespace, zone: ZoneInfo) -> int:
    until = arguments.until or datetime.now(zone)
    until = until.replace(tzinfo=zone) if until.tzinfo is None else until.astimezone(zone)
    last = until.date()
    life = Life(arguments.seed, last - timedelta(days=arguments.days - 1), last)
    pushes = Phone(life, zone).pushes(round(until.timestamp() * 1_000_000))
    done = fill(arguments.data, pushes, seed=arguments.seed, zone=ZONE)
    sys.stdout.write(f"{done.deliveries} deliveries, {done.bytes >> 20} MiB\n")
    spoken = speak(arguments.data, last, round(until.timestamp() * 1_000_000), arguments.days, zone)
    sys.stdout.write(f"{spoken} spoken notes\n")
    status = cli.main(["reindex", "--data", str(arguments.data), "--log-level", "ERROR"])
    if status == 0:
        sys.stdout.write(f"\nLook at it:  python -m healthlog serve --data {arguments.data}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
