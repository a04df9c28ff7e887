"""`penstock.langgraph`: the LangGraph door under the name that graphs import.

Each name is imported when it is first used, and says which extra to install where LangGraph or
LangChain is missing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.doors.langgraph.classify import (
        classify_write,
        generate_diff_preview,
        requires_approval,
        show_deletion_summary,
    )
    from penstock.doors.langgraph.config import GateConfig
    from penstock.doors.langgraph.deepagents.backend import (
        PenstockBackend as PenstockBackend,  # noqa: PLC0414 - `import *` must not need deepagents
    )
    from penstock.doors.langgraph.errors import (
        InsertionCancelledError,
        InvalidInsertionPointError,
    )
    from penstock.doors.langgraph.graph import build_graph
    from penstock.doors.langgraph.middleware import PenstockMiddleware
    from penstock.doors.langgraph.node import safe_file_write_gate
    from penstock.doors.langgraph.prompts import get_insertion_point, prompt_for_approval
    from penstock.doors.langgraph.state import (
        FileWriteRequest,
        SafeWriteState,
        TestingWorkflowState,
        WriteApproval,
        WriteClassification,
    )
    from penstock.doors.langgraph.strategies import apply_merge_strategy

__all__ = [
    "FileWriteRequest",
    "GateConfig",
    "InsertionCancelledError",
    "InvalidInsertionPointError",
    "PenstockMiddleware",
    "SafeWriteState",
    "TestingWorkflowState",
    "WriteApproval",
    "WriteClassification",
    "apply_merge_strategy",
    "build_graph",
    "classify_write",
    "generate_diff_preview",
    "get_insertion_point",
    "prompt_for_approval",
    "requires_approval",
    "safe_file_write_gate",
    "show_deletion_summary",
]

_HOME = {
    "apply_merge_strategy": "strategies",
    "build_graph": "graph",
    "classify_write": "classify",
    "FileWriteRequest": "state",
    "GateConfig": "config",
    "generate_diff_preview": "classify",
    "get_insertion_point": "prompts",
    "InsertionCancelledError": "errors",
    "InvalidInsertionPointError": "errors",
    "PenstockBackend": "deepagents.backend",
    "PenstockMiddleware": "middleware",
    "prompt_for_approval": "prompts",
    "requires_approval": "classify",
    "safe_file_write_gate": "node",
    "SafeWriteState": "state",
    "show_deletion_summary": "classify",
    "TestingWorkflowState": "state",
    "WriteApproval": "state",
    "WriteClassification": "state",
}
_EXTRA = ("langgraph", "langchain", "langchain_core", "pydantic", "deepagents")


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'penstock.langgraph' has no attribute {name!r}")
    try:
        module = importlib.import_module(f"penstock.doors.langgraph.{_HOME[name]}")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _EXTRA:
            raise
        from penstock.core.distribution import pip_install

        deep = missing.name == "deepagents"
        cure = "pip install deepagents" if deep else pip_install("langgraph")
        raise ModuleNotFoundError(
            f"`{name}` needs {missing.name}, which is not installed; try: {cure}",
            name=missing.name,
        ) from missing
    return getattr(module, name)
