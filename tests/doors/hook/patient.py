"""`hook.py` with all the time in the world: `python -I -S patient.py LAUNCHER AGENT`.

How long a loaded machine needs is not what most tests are about; that the hook has an end is a
claim of its own, made with the launcher itself.
"""

import sys

launcher = sys.argv.pop(1)
sys.path.append(launcher.rpartition("/penstock/")[0])

from penstock.doors.hook import main  # noqa: E402 - found only now

main.SECONDS = main.STDIN_SECONDS = 600.0
with open(launcher, encoding="utf-8") as file:
    code = compile(file.read(), launcher, "exec")
exec(code, {"__file__": launcher, "__name__": "__main__"})
