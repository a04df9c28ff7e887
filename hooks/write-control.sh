#!/usr/bin/env bash
# PreToolUse hook for Write and Edit: JSON on stdin, the answer on stdout, always exit 0.
# Clients take exit 2 for a denial, and a shell or a Python that cannot start may well end
# with 2; so Python's own exit code never gets out of here.
[ "${BASH_VERSION-}" ] || exec bash "$0"
set +e

here=${BASH_SOURCE[0]%/*}
[[ $here != "${BASH_SOURCE[0]}" ]] || here=.
root=$here/..
[[ -d $root/src/penstock ]] || root=${CLAUDE_PLUGIN_ROOT-}

judge() {
  command "$1" -I -S -X utf8 -c '
import sys
sys.version_info >= (3, 9) or sys.exit("penstock write-control: needs Python 3.9 or newer")
sys.path.insert(0, sys.argv[1] + "/src")
from penstock.doors.hook_spec import main
main(sys.argv[1])' "$root"
}

# A version manager's shim takes ten times as long as the interpreter that it looks for.
hash python3 2>/dev/null
case ${BASH_CMDS[python3]-} in
  */shims/*) [[ -x /usr/bin/python3 ]] && judge /usr/bin/python3 && exit 0 ;;
esac
judge python3
exit 0
