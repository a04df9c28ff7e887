"""What agents are told to start: `python -I -S .../penstock/hook.py AGENT`.

As short as can be, because Python compiles a script anew at every start; all else is imported,
and so comes compiled.
"""

import sys

sys.path.insert(0, __file__.rpartition("/penstock/")[0])

from penstock.doors.hook.cold import main

main(sys.argv[1:])
