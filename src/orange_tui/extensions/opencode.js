// Orange's extension for opencode: what opencode asks to be allowed, the person is asked in Orange as well, by
// `orange task ask`, which waits. Whichever is answered first counts: an answer in opencode's own dialog ends the
// waiting process, and where that says nothing, for whatever reason, the dialog is there. It needs no port of opencode's.
// What is denied, opencode denies with all else that the same conversation asks just then: that is its own rule.
import { spawn } from "node:child_process";

const MAX_CALLS = 200; // that are remembered: of those that were denied, nobody says that they have ended
const OWN_NAMES = { "bash bash": "Bash", "edit edit": "Edit", "edit write": "Write" }; // permission and tool

export const Orange = async ({ client, directory }) => {
  const calls = new Map(); // by its id, the tool of a call and what it is given
  const waiting = new Map(); // by its id, the process that asks for a permission

  // In the words of Claude Code's hook. Of what is known by its tool and its input, a person may allow the same again.
  const report = ({ id, sessionID, permission, patterns, metadata, tool }) => {
    const call = calls.get(tool?.callID);
    const name = OWN_NAMES[`${permission} ${call?.name}`];
    const { filePath, ...given } = call?.output.args ?? metadata ?? {};
    const file = metadata?.filepath ?? filePath;
    const about = name ? {} : { patterns, ...(call ? { tool: call.name } : {}) };
    return {
      hook_event_name: "PermissionRequest",
      session_id: sessionID,
      agent_id: id, // several may be asked at once, and opencode tells when each has been answered
      cwd: directory,
      tool_name: name ?? permission,
      tool_input: { ...given, ...(file ? { file_path: file } : {}), ...about },
    };
  };

  const answer = async ({ id, sessionID }, decision) => {
    const reply = decision.behavior === "allow" ? "once" : "reject"; // never "always": that would allow a pattern
    const words = reply === "reject" && decision.message ? { message: decision.message } : {};
    const headers = { "Content-Type": "application/json" };
    const url = "/permission/{requestID}/reply";
    const sent = await client._client.post({ url, path: { requestID: id }, body: { reply, ...words }, headers });
    if (sent.response?.ok) return;
    const path = { id: sessionID, permissionID: id };
    await client.postSessionIdPermissionsPermissionId({ path, body: { response: reply } }); // takes no words
  };

  const ask = (request) => {
    const child = spawn("orange", ["task", "ask", "--agent", "opencode", "-"], { stdio: ["pipe", "pipe", "ignore"] });
    let printed = "";
    waiting.set(request.id, child);
    child.stdout.on("data", (data) => (printed += data));
    child.stdin.on("error", () => {});
    child.on("error", () => waiting.delete(request.id));
    child.on("close", () => {
      if (!waiting.delete(request.id) || !printed.trim()) return;
      Promise.resolve(printed)
        .then((text) => answer(request, JSON.parse(text).hookSpecificOutput.decision))
        .catch(() => {});
    });
    child.stdin.end(JSON.stringify(report(request)));
  };

  const stop = (id) => {
    const child = waiting.get(id);
    waiting.delete(id);
    if (child?.pid) child.kill(); // one that could not be started has none, and any other process might be ended
  };

  if (!process.env.ORANGE_TASK) return {};
  return {
    "tool.execute.before": async ({ tool, callID }, output) => {
      calls.set(callID, { name: tool, output }); // not its arguments: another extension may put others there
      if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value);
    },
    "tool.execute.after": async ({ callID }) => void calls.delete(callID),
    event: async ({ event }) => {
      if (event.type === "permission.asked") ask(event.properties);
      if (event.type === "permission.replied") stop(event.properties.requestID);
    },
  };
};
