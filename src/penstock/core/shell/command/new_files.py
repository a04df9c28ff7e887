"""New files whose name is known but for a part: `dist/app-$VERSION.tgz`, `/tmp/out.$$`.

Such a name is one of a pattern. That says which file is written as long as the unknown part leads
nowhere else and nothing that is there already may be meant.
Always true: where a directory or a file meets the pattern, what is written is not known.
"""

from __future__ import annotations

from penstock.core.paths.free_places import is_temporary
from penstock.core.shell.command.host import Follows
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import joined
from penstock.core.shell.possible_names import new_name
from penstock.core.shell.state import ShellState

# Who makes a file and no directory on the way to it. Of a name without quotes an unknown part may
# make several words; the first ones write one file at most all the same.
_ONE_FILE = frozenset(
    {
        *(">", ">>", ">|", "&>", "&>>", "cp", "gcp", "mv", "gmv", "zip", "tar", "gtar", "bsdtar"),
        *("7z", "7za", "curl", "wget", "go"),
    }
)
_ITS_WORDS = _ONE_FILE | {
    *("tee", "touch", "dd", "git", "docker", "podman", "pg_dump", "mysqldump", "sqlite3", "gzip"),
    *("openssl", "ffmpeg", "convert", "magick", "pandoc", "dot", "gcc", "g++", "clang", "rustc"),
}


def settled(value: Value, state: ShellState, walk: Follows, by: str) -> Value | None:
    """Return the pattern that a name of a new file is one of, or nothing."""
    if value.exact or value.pattern or by not in (_ONE_FILE if value.loose else _ITS_WORDS):
        return None
    pattern = new_name(value.text)
    if not pattern or not (state.sure or pattern.startswith("/")):
        return None
    if "*" not in pattern:
        return Value(pattern)
    folder, slash, name = pattern.rpartition("/")
    front = name.partition("*")[0]
    near = walk.names(f"{folder}{slash}{front}*", state) if front else ()
    if near is None:
        return None
    here = walk.here(state)
    if any(here.kind(one) == "directory" or state.made_folder(one) for one in near):
        return None
    place = joined(state.cwd, pattern)
    free = is_temporary(place) and not place.startswith(f"{here.start}/")
    there = () if free else here.names(pattern)
    return Value(pattern) if there is not None and not there else None
