"""Amp: a plugin inside it (`presets/amp.js`) that asks us before each tool.

The plugin rejects a call on exit 2, with what stderr says, and the agent goes on. Nothing can
be asked or granted. Plugins are experimental there, and one that does not load is no gate.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import HookCall, started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "amp"
TITLE = "Amp"
say = common.by_exit_code


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what the plugin says that the agent is about to do."""
    return common.from_plugin(NAME, document, root=started(environ))


def registration(command: str, *, strict: bool) -> "Entries":
    """Return the plugin that `init` makes."""
    return common.plugin(".amp/plugins/penstock.ts", "amp.js", command, strict=strict)
