"""Processes that an agent's commands left running, for the hook's engine."""

from penstock.app.process import helpers
from penstock.stores.agents.background import TICKS, BackgroundLook, agent_above, ticks

__all__ = ["TICKS", "BackgroundLook", "agent_above", "helpers", "ticks"]
