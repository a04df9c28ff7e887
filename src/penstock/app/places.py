"""Where rules, state and agents' settings lie, for doors and commands that hold no workspace."""

from penstock.stores.system.places import (
    RULES,
    in_worktree,
    moved_settings,
    rules_of,
    stamp,
    state_home,
    user_rules,
    variable,
)
from penstock.stores.system.private import private_dir, read_file, told, write_file

__all__ = [
    "RULES",
    "in_worktree",
    "moved_settings",
    "private_dir",
    "read_file",
    "rules_of",
    "stamp",
    "state_home",
    "told",
    "user_rules",
    "variable",
    "write_file",
]
