"""Tool calls of an agent's graph: judged, proposed and answered around the real tool.

Enter by `writes` and `answers`; `penstock.langgraph.PenstockMiddleware` puts them together.
Imported by: `doors.langgraph`.
Always true: a tool that the rules deny does not run, and the model reads why.
"""
