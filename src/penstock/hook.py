"""What agents are told to start: `python -I -S .../penstock/hook.py AGENT`.

As short as can be, because Python compiles a script anew at every start. An installation has the
modules as one (`startup/amalgamate.py`); in a checkout they are imported one by one.
"""

import gc
import sys

gc.disable()  # what is made here lives until the end, which is near; the engine enables it
VERSION = "0.1.0"  # of the package, as in `pyproject.toml`
PACKAGE = __file__.rpartition("/")[0]
sys.path.insert(0, f"{PACKAGE}/startup")
try:
    from hook_path import PARTS, register  # type: ignore[import-not-found]
    from hook_path import VERSION as MADE
except Exception:  # a checkout, or a file that is torn
    MADE = ""
sys.path[:] = [*sys.path[1:], PACKAGE.rpartition("/")[0]]
try:
    if MADE == VERSION:
        register(PACKAGE, PARTS)
    from penstock.doors.hook.main import main
except Exception as problem:  # an installation that is broken or half replaced
    sys.stderr.write(f"Penstock cannot start ({type(problem).__name__}); install it again\n")
    sys.exit(2 if "closed" in sys.argv else 1)

main(sys.argv[1:])
