"""AppArmor in the way of user namespaces, as on Ubuntu, and the profile that opens it to us.

There a program without a profile may make a user namespace, and then may do nothing in it.
Always true: nothing is changed; installing a profile is the user's to do.
"""

from __future__ import annotations

import os
import sys

SETTING = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
PROFILE = """\
abi <abi/4.0>,
include <tunables/global>

profile penstock {interpreter} flags=(unconfined) {{
  userns,
}}
"""


def restricted_by_apparmor() -> bool:
    """Say whether we may make no user namespace because of AppArmor; root always may."""
    if os.geteuid() == 0:
        return False
    try:
        with open(SETTING, encoding="ascii") as file:
            return file.read().strip() == "1"
    except (OSError, UnicodeDecodeError):
        return False


def apparmor_hint(interpreter: str = "") -> str:
    """Return the profile that lets our interpreter make user namespaces, and where it goes."""
    program = interpreter or os.path.realpath(sys.executable)
    return (
        "AppArmor restricts user namespaces here. Save this as /etc/apparmor.d/penstock, then run "
        "`sudo apparmor_parser -r /etc/apparmor.d/penstock` (it allows user namespaces to every "
        f"program that {program} runs):\n{PROFILE.format(interpreter=program)}"
    )
