export default function (amp) {
  const call = (name, event) => ({
    event: name,
    tool: event.tool,
    input: event.input ?? {},
    cwd: process.cwd(),
    session: event.thread?.id,
    call: event.toolUseID,
  });

  amp.on("tool.call", async (event) => {
    const { refused } = await ask(call("before", event), process.cwd());
    if (refused) return { action: "reject-and-continue", message: refused };
    return { action: "allow" };
  });

  try {
    amp.on("tool.result", async (event) => {
      await ask(call("after", event), process.cwd());
    });
  } catch {
    // A version without this event: what was written is then not recorded afterwards.
  }
}
