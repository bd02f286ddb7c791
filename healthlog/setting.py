"""One setting: where it may be given, what it may be."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.setting_kinds import Kind

ENVIRONMENT_PREFIX = "HEALTHLOG_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: `default` is written as an owner would write it. One of a `table`
    stands in that table of the file, by the rest of its name, and is no flag."""

    name: str
    kind: Kind
    default: str
    help: str
    secret: bool = False
    table: str = ""

    @property
    def environment(self) -> str:
        """Name of its environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Name of its command-line flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def usual(self) -> object:
        """The value where none is given, None where there is none."""
        return self.kind.read(self.default) if self.default else None

    @property
    def short(self) -> str:
        """Its name within its table."""
        return self.name.removeprefix(f"{self.table}_") if self.table else self.name
