"""The real agents, offline: Claude Code, Codex and Gemini CLI against scripted models.

A scenario is a project, the tool calls that the model makes, and what must be true afterwards:
of the disk, of what the model was told, and of the record. The client is the real program in the
version that `install` pins; only the model behind it is ours (`models`), so nothing leaves this
machine. `session` puts the two together; `inside` runs them in a network of their own.
Always true: a scenario that cannot run is named in the summary with the reason.
"""
