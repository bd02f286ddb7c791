"""Small exports of Apple's Health, as documents, as zips, as the bodies they are imported as."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

from healthlog.apple.load import Chunk, Loader
from healthlog.apple.mend import Element
from healthlog.apple.scan import Scanner

EXPORTED = "2026-06-01 09:00:00 +0200"
START, END = "2026-05-03 08:00:00 +0200", "2026-05-03 08:10:00 +0200"
QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"

SOUND = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
]>
"""
BROKEN = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|VisionPrescription)*)>
<!ATTLIST VisionPrescription
  type             CDATA #REQUIRED
  brand            CDATA #IMPLIED
<!ELEMENT RightEye EMPTY>
<!ATTLIST RightEye
  sphere           CDATA #IMPLIED
>
>
]>
"""
"""As iOS 16 wrote it: one declaration is never closed, and a bracket is left over."""


def tag(name: str, attributes: Mapping[str, object], *inside: str, indent: int = 1) -> str:
    """An element as Apple writes it: a line each, indented."""
    said = "".join(f" {key}={quoteattr(str(value))}" for key, value in attributes.items())
    blank = " " * indent
    if not inside:
        return f"{blank}<{name}{said}/>\n"
    return f"{blank}<{name}{said}>\n{''.join(inside)}{blank}</{name}>\n"


def record(
    kind: str,
    value: object = "1",
    *inside: str,
    unit: str | None = "count",
    start: str = START,
    end: str | None = None,
    source: str = "Apple\u00a0Watch",
    **more: object,
) -> str:
    """A `Record`; without `end` it lasts until END."""
    attributes: dict[str, object] = {"type": kind, "sourceName": source}
    if unit is not None:
        attributes["unit"] = unit
    attributes |= {"creationDate": END, "startDate": start, "endDate": end or END}
    if value is not None:
        attributes["value"] = value
    return tag("Record", attributes | more, *inside)


def quantity(name: str, value: object = "1", *inside: str, **more: object) -> str:
    return record(QUANTITY + name, value, *inside, **more)  # type: ignore[arg-type]


def category(name: str, value: object, *inside: str, **more: object) -> str:
    plain = {"unit": None, **more}
    return record(CATEGORY + name, value, *inside, **plain)  # type: ignore[arg-type]


def note(key: str, value: object, indent: int = 2) -> str:
    return tag("MetadataEntry", {"key": key, "value": value}, indent=indent)


def workout(kind: str, *inside: str, start: str = START, end: str = END, **more: object) -> str:
    return tag(
        "Workout",
        {
            "workoutActivityType": f"HKWorkoutActivityType{kind}",
            "duration": "9.5",
            "durationUnit": "min",
            "sourceName": "Apple\u00a0Watch",
            "startDate": start,
            "endDate": end,
            **more,
        },
        *inside,
    )


def statistic(name: str, unit: str, indent: int = 2, **values: object) -> str:
    attributes = {"type": QUANTITY + name, "startDate": START, "endDate": END, **values}
    return tag("WorkoutStatistics", attributes | {"unit": unit}, indent=indent)


def route(path: str) -> str:
    file = tag("FileReference", {"path": path}, indent=3)
    return tag("WorkoutRoute", {"sourceName": "Watch", "startDate": START}, file, indent=2)


def export(*inside: str, dtd: str = SOUND, exported: str | None = EXPORTED) -> bytes:
    """A whole document."""
    date = "" if exported is None else tag("ExportDate", {"value": exported})
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n{dtd}<HealthData locale="en_US">\n'
    return f"{head}{date}{''.join(inside)}</HealthData>\n".encode()


def cut(document: bytes, size: int) -> list[bytes]:
    """The document in pieces of so many bytes."""
    return [document[at : at + size] for at in range(0, len(document), size)]


def scanned(document: bytes, piece: int = 65_536) -> tuple[list[Element], Scanner]:
    """The elements of a document, with the scanner that read them."""
    scanner = Scanner()
    return [found.element for found in scanner.elements(cut(document, piece))], scanner


def chunks(document: bytes) -> list[Chunk]:
    """The bodies a document is imported as."""
    scanner = Scanner()
    loader = Loader(lambda: scanner.root.get("locale"), lambda _: 0)
    return list(loader.chunks(scanner.elements(cut(document, 65_536))))


def body(*inside: str) -> bytes:
    """The one body of a small export."""
    [chunk] = chunks(export(*inside))
    return chunk.body


def section(content: bytes) -> dict[str, object]:
    """What stands in a body."""
    found: dict[str, object] = json.loads(content)["data"]["appleHealth"]
    return found


def gpx(*places: tuple[float, float], more: str = "<ele>12.5</ele>") -> bytes:
    """A route by latitude, longitude, a second apart."""
    points = "".join(
        f'<trkpt lon="{lon}" lat="{lat}">{more}<time>2026-05-03T06:00:{second:02}Z</time>'
        f"<extensions><speed>1.5</speed><course>90</course><hAcc>3</hAcc><vAcc>4</vAcc>"
        f"</extensions></trkpt>\n"
        for second, (lat, lon) in enumerate(places)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" xmlns="http://t/1">'
        f"<metadata><time>2026-06-01T00:00:00Z</time></metadata>"
        f"<trk><name>Route</name><trkseg>\n{points}</trkseg></trk></gpx>\n"
    ).encode()


def ecg(*voltages: str, recorded: str = START, rate: str = "512 hertz") -> str:
    """A recording as the English export writes it."""
    return "\n".join(
        (
            "Name,", 'Date of Birth,"Jan 1, 1980"', f"Recorded Date,{recorded}",
            "Classification,Sinus Rhythm", "Symptoms,", "Software Version,1.90",
            'Device,"Watch6,7"', f"Sample Rate,{rate}", "", "", "Lead,Lead I", "Unit,\u00b5V", "",
            *voltages, "",
        )
    )  # fmt: skip


def zipped(members: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of these members in their order; names may come twice."""
    pairs = members.items() if isinstance(members, Mapping) else members
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pairs:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()
