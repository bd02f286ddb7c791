"""The archive: every body as it was received, each with its meta, never changed afterwards."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from healthlog.archive.body import BodyWriter
from healthlog.archive.disk import Disk
from healthlog.archive.meta import is_as_written, meta_bytes, parse_meta
from healthlog.archive.read import TooLong, Unreadable, open_body, pieces, raw_pieces
from healthlog.archive.scan import BODY, META, Inventory, inventory
from healthlog.base import errors
from healthlog.base.ids import folder_of, parse_id
from healthlog.base.troubles import Trouble
from healthlog.model import Delivery

FOLDER = "archive"
INCOMING = "incoming"


class Archive:
    """The folder `archive/` of a data directory.

    `place` is for one caller at a time, inside the critical section; everything else may be used
    by all threads. Ids are checked before they become paths. `tell` hears of each body that the
    machine could not read.
    """

    def __init__(
        self,
        data: Path,
        disk: Disk | None = None,
        tell: Callable[[Exception], object] | None = None,
    ) -> None:
        self.root = data / FOLDER
        self.incoming = self.root / INCOMING
        self.data = data
        self._disk = disk or Disk()
        self._tell = tell
        self._durable: Path | None = None

    def prepare(self) -> None:
        """Makes the folders that bodies are written in."""
        self._disk.make_folders(self.incoming, self.data)

    def sweep(self) -> list[Path]:
        """Removes the parts of interrupted deliveries; only while nobody writes."""
        return self._disk.sweep(self.incoming)

    def free_bytes(self) -> int:
        """Bytes that may still be written to the archive."""
        return self._disk.free_bytes(self.root)

    def body_path(self, delivery_id: str) -> Path:
        """Where the body lies; ValueError for what is no id."""
        return self._path(delivery_id, BODY)

    def meta_path(self, delivery_id: str) -> Path:
        """Where the meta lies; ValueError for what is no id."""
        return self._path(delivery_id, META)

    def writer(self) -> BodyWriter:
        """A new body, to be filled, finished, then placed or discarded."""
        return BodyWriter(self._disk.part(self.incoming))

    def place(self, writer: BodyWriter, delivery: Delivery) -> None:
        """Puts a finished body with its meta under its name, durably.

        On any failure body, meta and part are gone again as far as the disk lets them; `holds`
        tells whether a body stayed all the same.
        """
        body, meta = self.body_path(delivery.delivery_id), self.meta_path(delivery.delivery_id)
        try:
            self._make_folder(body.parent)
            self._write_meta(meta, delivery)
            writer.rename(body)
            self._disk.sync_folder(body.parent)
        except BaseException:
            writer.discard()
            self._withdraw(body, meta)
            # Whoever comes next looks at the folders again: one of them may have been removed.
            self._durable = None
            raise

    def sync(self, delivery_ids: Iterable[str]) -> None:
        """Makes the names of bodies durable that somebody else has put there."""
        for folder in sorted({self.body_path(delivery_id).parent for delivery_id in delivery_ids}):
            self._disk.sync_folder(folder)
            self._sync_parents(folder)

    def holds(self, delivery_id: str) -> bool:
        """Whether there is a body of this id."""
        path = self.body_path(delivery_id)
        with errors.reading(path):
            return path.is_file()

    def remove_meta(self, delivery_id: str) -> None:
        """Removes a meta; for those without a body."""
        self._disk.remove(self.meta_path(delivery_id))

    def read(self, delivery_id: str, sha256: str, limit: int) -> bytes:
        """The whole body, checked against `sha256` ("" if the checksum is not known).

        Unreadable when it is missing, cut, damaged or another one; TooLong above `limit` bytes;
        a circumstance when the machine could not read it this time.
        """
        return b"".join(self._checked(delivery_id, sha256, limit))

    def body(self, delivery: Delivery) -> bytes:
        """The whole body of a delivery, checked against what is known of it; raises like `read`."""
        return self.read(delivery.delivery_id, delivery.sha256, delivery.bytes)

    def opener(self, delivery: Delivery) -> Callable[[], Iterator[bytes]]:
        """Opens the body of a delivery as often as it is called, in pieces; each time it raises
        like `read`, at the latest behind the last piece."""
        return partial(self._checked, delivery.delivery_id, delivery.sha256, delivery.bytes)

    def stream(self, delivery_id: str) -> Iterator[bytes]:
        """The body in pieces, not compared with its checksum. The file is opened by this call, so
        that a missing one is Unreadable before the first piece."""
        if parse_id(delivery_id) is None:
            raise Unreadable("there is no body of that name")
        with self._telling():
            file = open_body(self.body_path(delivery_id))
        return self._told(pieces(file))

    def _checked(self, delivery_id: str, sha256: str, limit: int) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        for piece in self.stream(delivery_id):
            size += len(piece)
            if size > limit:
                raise TooLong(f"the body is longer than {limit} bytes")
            digest.update(piece)
            yield piece
        if sha256 and digest.hexdigest() != sha256:
            raise Unreadable("the body differs from its checksum")

    def measure(self, delivery_id: str) -> tuple[int, str]:
        """Size and sha256 of the body, by reading it; raises like `stream`."""
        size, digest = 0, hashlib.sha256()
        for piece in self.stream(delivery_id):
            size += len(piece)
            digest.update(piece)
        return size, digest.hexdigest()

    def packed_sha256(self, delivery_id: str) -> str:
        """Checksum of the file a body lies in, whatever is in it; Unreadable if there is none."""
        digest = hashlib.sha256()
        for piece in raw_pieces(open_body(self.body_path(delivery_id))):
            digest.update(piece)
        return digest.hexdigest()

    def meta_is_as_written(self, delivery_id: str) -> bool:
        """Whether the meta is spelled as this program spells it, byte for byte."""
        try:
            with errors.naming():
                return is_as_written(self.meta_path(delivery_id).read_bytes())
        except OSError:
            return False

    def meta(self, delivery_id: str) -> Delivery | None:
        """What the meta says; None when it is missing, no meta, or speaks of another delivery."""
        path = self.meta_path(delivery_id)
        try:
            with errors.reading(path):
                found = parse_meta(path.read_bytes())
        except (OSError, ValueError):
            return None
        same = (found.received_at_us, found.delivery_id) == (parse_id(delivery_id), delivery_id)
        return found if same else None

    def delivery(self, delivery_id: str) -> Delivery:
        """What is known of the body: its meta, else its name with size and checksum measured.

        Of a body that can't be read either, the size is 0 and the checksum "".
        """
        found = self.meta(delivery_id)
        if found is not None:
            return found
        us = parse_id(delivery_id)
        if us is None:
            raise ValueError("not an id")
        try:
            packed_sha256 = self.packed_sha256(delivery_id)
            size, sha256 = self.measure(delivery_id)
        except Unreadable:
            return Delivery(delivery_id, us, us, us, 0, "")
        return Delivery(delivery_id, us, us, us, size, sha256, packed_sha256=packed_sha256)

    def inventory(self) -> Inventory:
        """All that lies in the archive."""
        return inventory(self.root)

    def scan(self) -> list[str]:
        """The ids of all bodies in the journal's order."""
        return list(self.inventory().bodies)

    def _told(self, found: Iterator[bytes]) -> Iterator[bytes]:
        with self._telling():
            yield from found

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except Trouble as error:
            if self._tell is not None:
                self._tell(error)
            raise

    def _path(self, delivery_id: str, suffix: str) -> Path:
        if parse_id(delivery_id) is None:
            raise ValueError("not an id")
        return self.root / folder_of(delivery_id) / (delivery_id + suffix)

    def _make_folder(self, folder: Path) -> None:
        if folder == self._durable:
            return
        self._disk.make_folders(folder, self.data)
        # An earlier process may have been killed after making a folder, before syncing its parent.
        self._sync_parents(folder)
        self._durable = folder

    def _sync_parents(self, folder: Path) -> None:
        for parent in (folder.parent, folder.parent.parent, self.root):
            self._disk.sync_folder(parent)

    def _write_meta(self, path: Path, delivery: Delivery) -> None:
        part = self._disk.part(self.incoming)
        try:
            part.write(meta_bytes(delivery))
            part.sync()
            part.rename(path)
        finally:
            part.discard()

    def _withdraw(self, body: Path, meta: Path) -> None:
        with contextlib.suppress(OSError, errors.Circumstance):
            self._disk.remove(body)
        with contextlib.suppress(OSError, errors.Circumstance):
            if not body.is_file():
                self._disk.remove(meta)
