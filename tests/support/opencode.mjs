// Stands for opencode in front of Orange's extension: each line that comes in is something that happens in opencode, each
// line that goes out is something that the extension asks of it.
import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [extension, directory, knows] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const kill = ChildProcess.prototype.kill;
ChildProcess.prototype.kill = function (signal) {
  return this.pid ? kill.call(this, signal) : say({ killed: "anybody" }); // Node would: its number is not set then
};
const client = {
  _client: {
    post: async ({ url, path, body }) => {
      say({ url, ...path, ...body });
      return { response: { ok: knows === "words" } };
    },
  },
  postSessionIdPermissionsPermissionId: async ({ path, body }) => say({ ...path, ...body }),
};
const source = readFileSync(extension).toString("base64"); // Node takes a .js file for an older kind of module
const { Orange } = await import(`data:text/javascript;base64,${source}`);
const hooks = await Orange({ client, directory });

for await (const line of createInterface({ input: process.stdin })) {
  await Promise.all(JSON.parse(line).map(({ hook, input, output }) => hooks[hook]?.(input, output)));
}
