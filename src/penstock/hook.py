"""What agents are told to start: `python -I -S .../penstock/hook.py AGENT`.

As short as can be, because Python compiles a script anew at every start. The modules come out
of the bundle that `doors/hook/bundle.py` makes, or are imported one by one where it is missing.
"""

import gc
import sys

gc.disable()  # what is made here lives until the end, which is near; the engine enables it
PACKAGE = __file__.rpartition("/")[0]
sys.path.append(PACKAGE.rpartition("/")[0])
try:
    from io import FileIO
    from marshal import loads

    tag = sys.implementation.cache_tag
    names: dict = {}  # type: ignore[type-arg]
    code, stamps, modules = loads(FileIO(f"{PACKAGE}/__pycache__/hook-2.{tag}.bundle").readall())
    exec(code, names)
    names["unpack"](PACKAGE, stamps, modules)
except Exception:  # a bundle that is missing, torn or of another form is no bundle
    for half in [name for name in sys.modules if name.startswith("penstock")]:
        del sys.modules[half]

try:
    from penstock.doors.hook.cold import main
except Exception as problem:  # an installation that is broken or half replaced
    sys.stderr.write(f"Penstock cannot start ({type(problem).__name__}); install it again\n")
    sys.exit(2 if "closed" in sys.argv else 1)

main(sys.argv[1:])
