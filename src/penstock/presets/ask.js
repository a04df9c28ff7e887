// Made by `penstock init`, and removed by `penstock uninstall`. Changes here are lost.
import { spawn } from "node:child_process";

const COMMAND = __COMMAND__;
const CLOSED = __CLOSED__; // whether a hook that fails blocks the call
const WITHIN = __WITHIN__; // milliseconds

// Start the hook, hand it the call, and return { refused, note }.
function ask(call, cwd) {
  return new Promise((resolve) => {
    const failed = (why) =>
      resolve({ refused: CLOSED ? `the Penstock hook failed: ${why}` : "", note: "" });
    let text;
    let child;
    try {
      text = JSON.stringify(call);
      child = spawn(COMMAND[0], COMMAND.slice(1), { cwd, stdio: ["pipe", "pipe", "pipe"] });
    } catch (problem) {
      return failed(String(problem));
    }
    const said = ["", ""];
    const clock = setTimeout(() => {
      child.kill("SIGKILL");
      failed(`no answer within ${WITHIN} ms`);
    }, WITHIN);
    child.stdout.on("data", (piece) => (said[0] += piece));
    child.stderr.on("data", (piece) => (said[1] += piece));
    child.stdin.on("error", () => {}); // a hook may answer before it has read everything
    child.on("error", (problem) => {
      clearTimeout(clock);
      failed(String(problem));
    });
    child.on("close", (code) => {
      clearTimeout(clock);
      if (code === 0) resolve({ refused: "", note: said[0].trim() });
      else if (code === 2) resolve({ refused: said[1].trim() || "Penstock denied this", note: "" });
      else failed(`it ended with ${code}`);
    });
    child.stdin.end(text);
  });
}

