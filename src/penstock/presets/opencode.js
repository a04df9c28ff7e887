export const Penstock = async ({ directory, worktree }) => {
  const cwd = directory || process.cwd();
  const root = worktree && worktree !== "/" ? worktree : cwd;
  const notes = new Map(); // by call: the note that is added to the tool's result

  const call = (event, input, args) => ({
    event,
    tool: input.tool,
    input: args ?? {},
    cwd,
    root,
    session: input.sessionID,
    call: input.callID,
  });

  return {
    "tool.execute.before": async (input, output) => {
      const { refused, note } = await ask(call("before", input, output.args), cwd);
      if (refused) throw new Error(refused);
      notes.set(input.callID, { note, args: output.args });
    },
    "tool.execute.after": async (input, output) => {
      const known = notes.get(input.callID) ?? { note: "", args: input.args };
      notes.delete(input.callID);
      const { note } = await ask(call("after", input, input.args ?? known.args), cwd);
      const text = [known.note, note].filter(Boolean).join("\n");
      if (text && typeof output?.output === "string") output.output += `\n${text}`;
    },
  };
};
