// Orange's extension for pi, given to it with `-e`: reports what pi does, and which conversation it has, by
// `orange task event`. One report after the other, because a later one must not be overtaken by an earlier one.
import { spawn } from "node:child_process";

export default function (pi) {
  let last = Promise.resolve();

  const report = (type, ctx, more = {}) => {
    const session = ctx.sessionManager;
    const known = { type, session_id: session.getSessionId(), transcript_path: session.getSessionFile(), ...more };
    const words = ["task", "event", "--agent", "pi", "--event", type, JSON.stringify(known)];
    const run = () =>
      new Promise((done) => {
        const child = spawn("orange", words, { stdio: "ignore", detached: true });
        child.on("error", done);
        child.on("exit", done);
        child.unref();
      });
    if (process.env.ORANGE_TASK) last = last.then(run);
  };

  pi.on("session_start", (event, ctx) => report("session_start", ctx, { source: event.reason }));
  pi.on("before_agent_start", (event, ctx) => report("before_agent_start", ctx, { prompt: event.prompt.slice(0, 1000) }));
  pi.on("agent_end", (event, ctx) => {
    const end = event.messages.at(-1)?.stopReason;
    report("agent_end", ctx, end === "error" ? { error: end } : {});
  });
}
