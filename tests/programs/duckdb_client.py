"""DuckDB running a script: `python duckdb_client.py SCRIPT`.

Run by an interpreter that has `duckdb` and its extension for SQLite as a package: INSTALL would
fetch it from elsewhere. Prints one JSON line: what each SELECT found.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

duckdb: Any = import_module("duckdb")
POINTS = (
    "SELECT count(*), min(qty) FROM sqlite_query('log',"
    " 'SELECT * FROM v_points WHERE metric = ''step_count''')"
)


def main(script: str) -> None:
    package = import_module("duckdb_extension_sqlite_scanner")
    [extension] = Path(str(package.__path__[0])).rglob("sqlite_scanner.duckdb_extension")
    connection = duckdb.connect()
    answers, points = [], None
    for statement in script.replace("-- duckdb", "").split(";"):
        words = statement.split()
        if not words or words[0] == "INSTALL":
            continue
        if words[0] == "LOAD":
            connection.execute(f"LOAD '{extension}'")
            continue
        if words[0] == "DETACH":
            points = connection.execute(POINTS).fetchall()
        found = connection.execute(statement)
        if words[0] == "SELECT":
            answers.append(found.fetchall())
    print(json.dumps({"answers": answers, "points": points}))


if __name__ == "__main__":
    main(sys.argv[1])
