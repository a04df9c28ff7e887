"""Remember the rules files that last made a good policy, for the time in which they are broken.

What is kept are the files' bytes, not the policy: it is made from them as from any others.
Always true: what was kept is read only if it is whole; anything else counts as nothing kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from penstock.core.errors import StoreError
from penstock.stores.system.private import private_dir, read_file, write_file

NAME = "last-good.json"
COMPILED = "hook.policy"
LIMIT = 64 * 1024 * 1024


def keep(state: str, revision: str, files: Mapping[str, bytes]) -> None:
    """Keep the files of a good policy; the same revision is not written twice."""
    if _read(state).get("revision") == revision:
        return
    import base64

    images = {path: base64.b64encode(data).decode() for path, data in files.items()}
    document = json.dumps({"revision": revision, "files": images}).encode()
    # A comfort for later: where it cannot be kept, the rules themselves are in force all the same.
    with suppress(OSError, StoreError):
        write_file(private_dir(state), NAME, document, replace=True)


def keep_compiled(state: str, data: bytes) -> None:
    """Keep the form of a policy that the hook reads; without it the hook asks the engine."""
    with suppress(OSError, StoreError):
        folder = private_dir(state)
        if read_file(os.path.join(folder, COMPILED), limit=LIMIT) != data:
            write_file(folder, COMPILED, data, replace=True)


def kept(state: str) -> dict[str, bytes]:
    """Return the files that were kept, or nothing."""
    files = _read(state).get("files")
    if not isinstance(files, dict):
        return {}
    import base64

    try:
        return {str(path): base64.b64decode(data, validate=True) for path, data in files.items()}
    except (ValueError, TypeError):
        return {}


def _read(state: str) -> dict[str, object]:
    if not os.path.isdir(state):
        return {}
    try:
        found = json.loads(read_file(os.path.join(state, NAME), limit=LIMIT) or b"{}")
    except (ValueError, OSError):
        return {}
    return found if isinstance(found, dict) else {}
