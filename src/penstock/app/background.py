"""Processes that an agent's commands left running, for the hook's engine."""

from penstock.app.process import helpers
from penstock.stores.agents.background import (
    TICKS,
    BackgroundLook,
    agent_above,
    is_running,
    mark_of,
    ticks,
)

__all__ = [
    "TICKS",
    "BackgroundLook",
    "agent_above",
    "helpers",
    "is_running",
    "mark_of",
    "ticks",
]
