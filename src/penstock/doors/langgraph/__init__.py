"""The LangGraph door: the gate as a node, as a whole workflow, and around an agent's tools.

Three ways in: `node` (and `graph` around it) for pending writes in state, `middleware` for the
tool calls of an agent, `deepagents` for the files of a deep agent. Each only translates,
`pending_writes` and `tools.writes` on the way in, `outcomes` and `tools.answers` on the way out;
between them is one pipeline. `interrupt` asks one question about all writes, `decisions` reads
the answer, `proposals` finds again what it was about, `settle` answers and applies.
Enter by `node` and `middleware`.
Imported by: `penstock.langgraph`.
Always true: nothing here decides and only the gate writes; a step that is run again finds what
it had proposed, and writes nothing twice.
"""
