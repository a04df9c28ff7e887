"""OpenCode: a plugin inside it (`presets/opencode.js`) that asks us before and after each tool.

The plugin throws on exit 2, with what stderr says, and gives the agent what stdout says after
the tool has run. Nothing can be asked or granted. A plugin that does not load is no gate.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import HookCall, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "opencode"
TITLE = "OpenCode"
say = common.by_exit_code


def read(document: "Document", environ: "Environ") -> HookCall:  # noqa: ARG001 - every agent's module is called so
    """Return what the plugin says that the agent is about to do."""
    return common.from_plugin(NAME, document, root=text(document.get("root")))


def registration(command: str, *, strict: bool) -> "Entries":
    """Return the plugin that `init` makes."""
    return common.plugin(".opencode/plugins/penstock.js", "opencode.js", command, strict=strict)
