// Asks Codex which tools its server "loci" has, through the protocol of its own apps, and prints their number.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const codex = spawn(process.execPath, [process.argv[2], "app-server"], { stdio: ["pipe", "pipe", "ignore"] });
const send = (message) => codex.stdin.write(JSON.stringify(message) + "\n");
send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } });
for await (const line of createInterface({ input: codex.stdout })) {
  const { id, result, error } = JSON.parse(line);
  if (error) throw new Error(line);
  if (id === 1) {
    send({ method: "initialized" });
    send({ id: 2, method: "mcpServerStatus/list", params: {} });
  }
  if (id === 2) {
    console.log(Object.keys(result.data.find((server) => server.name === "loci").tools).length);
    codex.stdin.end(); // it ends its servers
    setTimeout(() => codex.kill(), 5000).unref();
    break;
  }
}
