"""What a file is to a reviewer: written by hand, or generated, locked, minified, vendored, binary.

A surface may collapse what nobody reads line by line, and says why; collapsed is not shown, so an
approval still names it. What a file says of itself (`@generated`) counts only where it said so
before this change: otherwise an agent could fold its own code away.
Always true: only the beginning of a content is looked at; a name alone never makes a text binary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from penstock.core.review.languages import Language, file_name, language_of

HEAD = 4096  # bytes in which a file says that it is generated, or shows that it is binary
LONG_LINE = 500  # bytes of a mean line beyond which a text is minified
LEAST_MINIFIED = 2000  # bytes of a text that can be called minified


class ContentKind(StrEnum):
    """What a reviewer sees in a file."""

    TEXT = "text"
    LOCK = "lock file"
    GENERATED = "generated"
    VENDORED = "vendored"
    MINIFIED = "minified"
    IMAGE = "image"
    BINARY = "binary"

    @property
    def collapsed(self) -> bool:
        """True for what surfaces may show only when asked."""
        return self is not ContentKind.TEXT and self is not ContentKind.IMAGE


def _names(row: str) -> frozenset[str]:
    return frozenset(row.split())


LOCKS = _names(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock "
    "cargo.lock poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml go.sum "
    "go.work.sum gemfile.lock composer.lock mix.lock rebar.lock pubspec.lock podfile.lock "
    "package.resolved cartfile.resolved packages.lock.json paket.lock project.assets.json "
    "gradle.lockfile buildscript-gradle.lockfile flake.lock .terraform.lock.hcl chart.lock "
    "stack.yaml.lock cabal.project.freeze "
    "module.bazel.lock shard.lock"
)
# Ends of names that tools give to what they write.
_GENERATED = (
    "_pb2.py _pb2.pyi _pb2_grpc.py .pb.go .pb.gw.go .pb.cc .pb.h .pb.swift _grpc.pb.go .g.dart "
    ".freezed.dart .gr.dart .generated.cs .designer.cs .g.cs .g.i.cs .gen.go _gen.go _generated.go "
    "_string.go .gen.ts .generated.ts .generated.js .d.ts.map .js.map .css.map .snap .ambr "
    ".graphql.ts .pbxproj .tsbuildinfo"
)
GENERATED_ENDS = tuple(_GENERATED.split())
MINIFIED_ENDS = (".min.js", ".min.css", ".min.mjs", "-min.js", ".bundle.js", ".min.html")
VENDORED = _names(
    "node_modules bower_components vendor third_party thirdparty external_deps .yarn jspm_packages "
    "site-packages pods carthage"
)
# How a generated file begins, in a comment; the words that tools agreed on.
SAYS_GENERATED = re.compile(
    rb"(?im)^[^\n]{0,40}(?:@generated\b|code generated (?:by|from)\b[^\n]*do not edit"
    rb"|do not (?:edit|modify)\b[^\n]{0,60}\bgenerated|generated (?:by|from|file)\b[^\n]{0,80}"
    rb"do not (?:edit|modify)|<auto-?generated|this (?:file|code) (?:is|was) (?:auto(?:matically)?"
    rb"[- ]?)generated)"
)
# First bytes, and the names of files that begin like this. Both have to agree, or a script with
# a picture's first letters would not be read.
_SIGNS: Mapping[bytes, str] = {
    b"\x89PNG\r\n\x1a\n": "png apng",
    b"\xff\xd8\xff": "jpg jpeg jpe jfif",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
    b"RIFF": "webp wav avi",
    b"BM": "bmp",
    b"\x00\x00\x01\x00": "ico",
    b"II*\x00": "tif tiff",
    b"MM\x00*": "tif tiff",
    b"%PDF-": "pdf",
    b"PK\x03\x04": "zip jar war ear apk aar whl egg docx xlsx pptx odt ods odp epub nupkg vsix xpi",
    b"PK\x05\x06": "zip jar",
    b"\x1f\x8b": "gz tgz",
    b"BZh": "bz2 tbz2",
    b"\xfd7zXZ\x00": "xz txz",
    b"(\xb5/\xfd": "zst",
    b"7z\xbc\xaf'\x1c": "7z",
    b"Rar!": "rar",
    b"\x7fELF": "so o a out elf ko",
    b"MZ": "exe dll sys pyd",
    b"\xca\xfe\xba\xbe": "class dylib",
    b"\xcf\xfa\xed\xfe": "dylib o",
    b"\x00asm": "wasm",
    b"wOFF": "woff",
    b"wOF2": "woff2",
    b"\x00\x01\x00\x00": "ttf",
    b"OTTO": "otf",
    b"SQLite format 3\x00": "db sqlite sqlite3",
    b"ID3": "mp3",
    b"OggS": "ogg oga ogv opus",
    b"fLaC": "flac",
    b"!<arch>\n": "a deb lib",
}
SIGNS = tuple((sign, frozenset(names.split())) for sign, names in _SIGNS.items())
IMAGES = _names("png apng jpg jpeg jpe jfif gif webp bmp ico tif tiff avif")
READ_IN_LINES = frozenset({Language.JAVASCRIPT, Language.CSS, Language.HTML, Language.JSON})


def content_kind(path: str, before: bytes | None, after: bytes | None) -> ContentKind:
    """Return what a reviewer sees in a file whose content changes."""
    sides = [side for side in (before, after) if side is not None]
    if any(is_binary(path, side) for side in sides):
        return ContentKind.IMAGE if _ending(path) in IMAGES else ContentKind.BINARY
    name = file_name(path)
    if name in LOCKS:
        return ContentKind.LOCK
    if VENDORED & set(path.lower().split("/")[:-1]):
        return ContentKind.VENDORED
    if name.endswith(MINIFIED_ENDS) or (sides and all(_is_minified(path, side) for side in sides)):
        return ContentKind.MINIFIED
    if name.endswith(GENERATED_ENDS) or (before is not None and says_generated(before)):
        return ContentKind.GENERATED
    return ContentKind.TEXT


def is_binary(path: str, content: bytes) -> bool:
    """Say whether a content is no text: by its first bytes and its name, or by a NUL.

    A NUL does not make a program's source binary: an interpreter may run it all the same.
    """
    ending = _ending(path)
    if any(content.startswith(sign) and ending in names for sign, names in SIGNS):
        return True
    return b"\0" in content[:HEAD] and language_of(path, content) is None


def says_generated(content: bytes) -> bool:
    """Say whether a file says of itself that a program wrote it."""
    return SAYS_GENERATED.search(content[:HEAD]) is not None


def _ending(path: str) -> str:
    return file_name(path).rpartition(".")[2]


def _is_minified(path: str, content: bytes) -> bool:
    """Say whether a text has lines that nobody wrote; data in one line is minified, too."""
    if language_of(path) not in READ_IN_LINES or len(content) < LEAST_MINIFIED:
        return False
    return len(content) // (content.count(b"\n") + 1) > LONG_LINE
