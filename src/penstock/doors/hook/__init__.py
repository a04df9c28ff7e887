"""The hook door: an agent's own JSON in, that agent's own answer out.

`cold` is what agents start on every tool call; `agents/` has one small module for each of
them; `long` asks the whole engine; `resident` keeps that engine warm.
Always true: a door translates and decides nothing; what it cannot do is answered by the
policy's `on_error`, never by a crash.
"""
