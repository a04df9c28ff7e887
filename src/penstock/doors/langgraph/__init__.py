"""The LangGraph door: the gate as a node, as a whole workflow, and around an agent's tools.

`config`, `state`, `node` and `graph` are what their names say; `penstock.langgraph` exports
them. Nothing here decides: every write goes through the same gate as at the other doors.
"""
