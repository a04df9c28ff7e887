"""Whether this machine can isolate a run, and how strongly: tried, not guessed.

Always true: the trial is a whole run of a command that does nothing, in an empty project.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import StoreError
from penstock.stores.isolation.apparmor import apparmor_hint, restricted_by_apparmor
from penstock.stores.isolation.confine import SCOPE_SINCE, landlock_version
from penstock.stores.isolation.landlock import can_restrict
from penstock.stores.isolation.records import remove_in
from penstock.stores.system.private import private_dir

NOT_LINUX = "isolated runs need Linux"


class Isolation(Struct, frozen=True, kw_only=True):
    """What this machine can do. `problem` is empty where a run can be isolated by overlays.

    `copies` says that the weaker copy mode is possible.
    """

    problem: str = ""
    hint: str = ""
    landlock: int = 0
    copies: bool = False

    @property
    def scoped(self) -> bool:
        """True when abstract sockets of other programs are out of reach."""
        return self.landlock >= SCOPE_SINCE


def isolation() -> Isolation:
    """Return what this machine has, without trying whether all of it works."""
    if not sys.platform.startswith("linux"):
        return Isolation(problem=NOT_LINUX, hint="use the hooks: penstock init")
    return Isolation(landlock=landlock_version(), copies=can_restrict())


def try_out(state: str) -> Isolation:
    """Isolate a command that does nothing, with its layers in the state; nothing is left."""
    known = isolation()
    if known.problem:
        return known
    import tempfile

    from penstock.stores.isolation.process import start
    from penstock.stores.isolation.room import RoomPlan

    try:
        folder = tempfile.mkdtemp(prefix="probe-", dir=private_dir(state))
    except OSError as fault:
        because = f"no layer can be made in `{state}`: {(fault.strerror or str(fault)).lower()}"
        return Isolation(problem=because, landlock=known.landlock)
    try:
        project = os.path.join(folder, "empty-project")
        os.mkdir(project)
        plan = RoomPlan(
            folder=folder,
            project=project,
            directory=project,
            home="",
            home_layer="",
            state="",
            hidden=(),
        )
        code = start(plan, ["true"], os.environ).wait()
    except StoreError as fault:
        hint = apparmor_hint() if restricted_by_apparmor() else fault.hint
        return replace(known, problem=fault.because, hint=hint)
    finally:
        with suppress(OSError):
            remove_in(state, os.path.basename(folder))
    problem = "" if code == 0 else f"a command that does nothing ended with {code}"
    return replace(known, problem=problem)
