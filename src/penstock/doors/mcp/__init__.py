"""The MCP door: an agent reads, searches and proposes; only the gate writes, only people approve.

Each tool is a row in `tool_table`, with its schemas and what it truthfully is. `server` speaks the
protocol by the official SDK, `stdio` and `http` carry it; what a tool does is in `read_tool`,
`search_tools`, `write_tools` and `status_tools`, plain functions over the gate.
Enter by `server`.
Imported by: `cli.mcp`.
Always true: no tool applies or approves what the rules ask about; a refusal is a tool error with
a code and a reason; and nothing but protocol is on stdout.
"""
