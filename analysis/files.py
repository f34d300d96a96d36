"""Files, compressed or not: written whole or not at all, and the same bytes for the same input."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import os
import tempfile
import zlib
from pathlib import Path

from analysis.errors import UserError

_GZIP = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """What is in `path`; of a gzip file, whatever its name, what was compressed."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(_GZIP) else content
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"cannot read {path}: its gzip compression is damaged: {error}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step; what was there stays if anything fails."""
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, content: str) -> None:
    """`write_bytes` of UTF-8 text, compressed by gzip where the name ends in .gz."""
    text = content.encode("utf-8")
    write_bytes(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def make_folder(path: Path) -> None:
    """Make `path` and see that a file can be made in it, before any work is spent."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise UserError(f"cannot write into {path}: {error.strerror or error}") from error


def check_writable(path: Path) -> None:
    """See that the file `path` can be made or replaced, before any work is spent."""
    if path.is_dir():
        raise UserError(f"cannot write {path}: it is a folder; give a file's name")
    make_folder(path.parent)


def build_date(fallback: str | None = None) -> datetime.datetime:
    """The date for what is written: SOURCE_DATE_EPOCH, else the input's own date, never today's."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None:
        try:
            return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise UserError(f"SOURCE_DATE_EPOCH is '{epoch}'; it must be whole seconds since 1970") from error
    with contextlib.suppress(ValueError, TypeError):
        moment = datetime.datetime.fromisoformat(str(fallback))
        return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    return datetime.datetime.fromtimestamp(0, datetime.UTC)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
