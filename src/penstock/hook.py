"""What agents are told to start: `python -I -S .../penstock/hook.py AGENT`.

As short as can be, because Python compiles a script anew at every start. An installation has the
modules as one (`startup/amalgamate.py`); in a checkout they are imported one by one.
"""

import gc
import sys

gc.disable()  # what is made here lives until the end, which is near; the engine enables it
VERSION = "0.2.0"  # of the package, as in `pyproject.toml`
PACKAGE = __file__.rpartition("/")[0]
sys.path.append(PACKAGE.rpartition("/")[0])
try:
    from _frozen_importlib_external import SourceFileLoader  # an import's own, without a search

    one = SourceFileLoader("hook_path", PACKAGE + "/startup/hook_path.py").get_code("hook_path")
    exec(one, {"PACKAGE": PACKAGE, "WANTED": VERSION})  # type: ignore[arg-type]
except Exception:  # noqa: S110 - a checkout, or a file that is torn
    pass
try:
    from penstock.doors.hook.main import main
except Exception as problem:  # an installation that is broken or half replaced
    name = type(problem).__name__
    sys.stderr.write("Penstock cannot start (" + name + "); install it again\n")
    sys.exit(2 if "closed" in sys.argv else 1)

main(sys.argv[1:])
