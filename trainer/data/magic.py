"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

from typing import NamedTuple


class Foreign(NamedTuple):
    """``kind``: a noun for lists (``ZIP archive``); ``remedy``: what to do about it."""

    kind: str
    remedy: str


AGAIN = "get the file again"
GZIP = b"\x1f\x8b"
_STARTS = (
    (b"PK\x03\x04", Foreign("a ZIP archive", "unpack it")),
    (b"version https://git-lfs", Foreign("a Git LFS pointer, not the data", "run git lfs pull")),
    (b"\x89HDF", Foreign("an HDF5 file", "give the {form}")),
    (b"\x93NUMPY", Foreign("a NumPy file", "give the {form}")),
    (b"MATLAB 5.0", Foreign("a MATLAB file", "give the {form}")),
    (b"\x1f\x9d", Foreign("compressed with compress, not gzip", "uncompress it")),
    (b"BZh", Foreign("compressed with bzip2, not gzip", "run bunzip2 on it")),
    (b"\xfd7zXZ", Foreign("compressed with xz, not gzip", "run unxz on it")),
    (GZIP, Foreign("compressed with gzip", "unpack it")),
    (b"\x28\xb5\x2f\xfd", Foreign("compressed with zstd", "run unzstd on it")),
    (b"7z\xbc\xaf\x27\x1c", Foreign("a 7z archive", "unpack it")),
    (b"Rar!", Foreign("a RAR archive", "unpack it")),
    (b"%PDF", Foreign("a PDF", "give the {form}")),
    (b"\xff\xd8\xff", Foreign("a JPEG image", "give the {form}")),
    (b"\x89PNG", Foreign("a PNG image", "give the {form}")),
    (b"GIF8", Foreign("a GIF image", "give the {form}")),
)
_PAGE = (b"<!doctype", b"<html", b"<head", b"<?xml", b"<body", b"<svg")


def foreign(head: bytes, wanted: str, form: str) -> Foreign | None:
    """What ``head`` is, if it is a kind that is often found in place of data; None: unknown.

    ``wanted`` is what should be there (``images``) and ``form`` in what form (``IDX files``).
    """
    if not head:
        return Foreign("empty", AGAIN)
    text = head[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(_PAGE):
        return Foreign(f"a web page, not {wanted}", f"a download went wrong, {AGAIN}")
    if head[257:262] == b"ustar":
        return Foreign("a tar archive", "unpack it")
    for start, found in _STARTS:
        if head.startswith(start):
            return Foreign(found.kind, found.remedy.format(form=form))
    if len(head) >= 16 and not head.strip(b"\0"):
        return Foreign("nothing but zeros", f"a copy broke off, {AGAIN}")
    return None
