"""An agent's tool call into what it would do: which files, which content, which command.

`table` maps tool names to `kinds`; `arguments` reads them whatever they are called; `edits`
applies edits to bytes; `guess` handles tools that nobody has listed.
Enter by `intents`.
Imported by: `gate.prepare`, `core.learning`, and the doors that read tool calls themselves.
Always true: an argument that names a file is found wherever it stands; a guess only tightens.
"""
