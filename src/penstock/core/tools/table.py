"""The table of agents' tools: for each name, which kind of tool it is.

One row for each tool; agents that share a name share its row. Names are compared without
case. Tools that are not here are read by their arguments alone (`guess`).
Always true: adding an agent's tool is adding one row.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.model import Action
from penstock.core.tools.kinds import (
    Row,
    address_fetched,
    all_read,
    by_verb,
    cell_changed,
    command_run,
    command_run_here,
    content_given,
    content_or_verb,
    file_copied,
    file_moved,
    file_renamed,
    files_named,
    foreign_command,
    lines_inserted,
    nothing_done,
    patch_applied,
    text_appended,
    text_or_swap,
    text_searched,
    text_typed,
    texts_swapped,
    texts_swapped_often,
)

_READ = files_named(Action.READ)
_READ_SEVERAL = all_read(files_named(Action.READ, below=True))
_DELETE = files_named(Action.DELETE)
_MAKE = files_named(Action.WRITE)
_CHANGES: Mapping[str, Row] = {
    "create": content_given,
    "write": content_given,
    "overwrite": content_given,
    "str_replace": texts_swapped,
    "strreplace": texts_swapped,
    "insert": lines_inserted,
    "append": text_appended,
    "delete": _DELETE,
    "rename": file_renamed,
    "undo_edit": _MAKE,
}
_WRITER = by_verb(_CHANGES, texts_swapped)
_EDITOR = by_verb({**_CHANGES, "view": _READ, "read": _READ}, texts_swapped)


# Name in lower case -> how to read its arguments, and whose tool it is.
TOOLS: Mapping[str, Row] = {
    # Claude Code; Cursor, OpenCode and Kiro use some of the same names
    "write": content_or_verb(_WRITER),
    "edit": texts_swapped,
    "multiedit": texts_swapped,
    "notebookedit": cell_changed,
    "read": _READ,
    "notebookread": _READ,
    "grep": text_searched,
    "bash": command_run_here,
    # Codex
    "apply_patch": patch_applied,
    "applypatch": patch_applied,
    "shell": command_run,
    "local_shell": command_run,
    "shell_command": command_run,
    "exec_command": command_run,
    "unified_exec": command_run,
    "container.exec": command_run,
    "write_stdin": text_typed,
    # Gemini CLI, Qwen Code, LangChain, MCP file servers
    "write_file": content_given,
    "replace": texts_swapped_often,
    "run_shell_command": command_run,
    "read_file": _READ,
    "read_many_files": _READ_SEVERAL,
    "search_file_content": text_searched,
    "search_files": text_searched,
    "grep_search": text_searched,
    "codebase_search": text_searched,
    "ripgrep": text_searched,
    "edit_file": texts_swapped,
    "append_file": text_appended,
    "create_directory": _MAKE,
    "delete_file": _DELETE,
    "file_delete": _DELETE,
    "move_file": file_moved,
    "rename_file": file_moved,
    "copy_file": file_copied,
    "execute": command_run,
    "terminal": command_run,
    # Copilot, and the text editor tool that several agents offer
    "create": content_given,
    "view": _READ,
    "view_file": _READ,
    "open_file": _READ,
    "cat": _READ,
    "read_text_file": _READ,
    "read_multiple_files": _READ,
    "view_image": _READ,
    "str_replace_editor": _EDITOR,
    "str_replace_based_edit_tool": _EDITOR,
    "insert": lines_inserted,
    "write_bash": text_typed,
    "powershell": foreign_command,
    # Cursor
    "delete": _DELETE,
    "strreplace": texts_swapped,
    "search_replace": texts_swapped,
    "run_terminal_cmd": command_run,
    # OpenCode
    "patch": patch_applied,
    # Cline, Roo
    "write_to_file": content_given,
    "replace_in_file": texts_swapped,
    "apply_diff": texts_swapped,
    "insert_content": lines_inserted,
    "execute_command": command_run,
    "editor": text_or_swap,
    # Windsurf
    "pre_write_code": texts_swapped,
    "write_code": texts_swapped,
    "pre_read_code": _READ,
    "pre_run_command": command_run,
    "run_command": command_run,
    # Kiro
    "fs_write": _WRITER,
    "fs_append": text_appended,
    "fs_read": _READ,
    "str_replace": texts_swapped,
    "execute_bash": command_run,
    # Amp
    "create_file": content_given,
    # The names of files, and nothing of what they hold
    **dict.fromkeys(("ls", "glob", "list_directory", "list_dir", "list_files"), nothing_done),
    **dict.fromkeys(
        ("file_search", "glob_file_search", "find_files", "find_by_name"), nothing_done
    ),
    # What agents do among themselves
    **dict.fromkeys(
        ("task", "agent", "skill", "slashcommand", "todowrite", "todo_write"), nothing_done
    ),
    **dict.fromkeys(("websearch", "google_web_search"), nothing_done),
    **dict.fromkeys(("webfetch", "web_fetch", "fetch_url", "read_url"), address_fetched),
    **dict.fromkeys(("update_plan", "write_todos", "todo_write", "exitplanmode"), nothing_done),
    **dict.fromkeys(("askuserquestion", "ask_user", "sendmessage", "toolsearch"), nothing_done),
    **dict.fromkeys(("enterplanmode", "bashoutput", "killshell", "killbash"), nothing_done),
    **dict.fromkeys(("taskcreate", "taskupdate", "taskget", "tasklist"), nothing_done),
    **dict.fromkeys(("save_memory", "web_search", "report_intent", "update_todo"), nothing_done),
}
RUNS: frozenset[Row] = frozenset({command_run, command_run_here, text_typed, foreign_command})
READS: frozenset[Row] = frozenset({_READ, _READ_SEVERAL, text_searched, address_fetched})
