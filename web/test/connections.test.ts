import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, configOf, isLocal, linkOf } from "../src/views/connections/clients.ts";
import { draftOf, emptyDraft, requestOf, usable } from "../src/views/keys/keys.ts";

const address = "http://localhost:5624/mcp";
const client = (id: string) => clients.find((one) => one.id === id)!;

test("what a client gets to copy has the form of docs/clients.md", () => {
  assert.equal(configOf(client("claude-code"), address, "K"), `claude mcp add --scope user --transport http loci ${address} --header "Authorization: Bearer K"`);
  assert.equal(configOf(client("claude-code"), address, ""), `claude mcp add --scope user --transport http loci ${address}`);
  assert.deepEqual(JSON.parse(configOf(client("cursor"), address, "K")), { mcpServers: { loci: { url: address, headers: { Authorization: "Bearer K" } } } });
  assert.deepEqual(JSON.parse(configOf(client("vscode"), address, "")), { servers: { loci: { type: "http", url: address } } });
  assert.deepEqual(JSON.parse(configOf(client("gemini-cli"), address, "K")).mcpServers.loci.httpUrl, address);
  assert.equal(configOf(client("codex"), address, "K"), `[mcp_servers.loci]\nurl = "${address}"\nhttp_headers = { "Authorization" = "Bearer K" }`);
  assert.equal(configOf(client("claude"), address, ""), address);
});

test("the links of one click carry the entry", () => {
  const cursor = new URL(linkOf(client("cursor"), address, "K")!);
  assert.equal(cursor.protocol, "cursor:");
  assert.deepEqual(JSON.parse(atob(cursor.searchParams.get("config")!)), { url: address, headers: { Authorization: "Bearer K" } });
  const [scheme, json = ""] = linkOf(client("vscode"), address, "")!.split("?");
  assert.equal(scheme, "vscode:mcp/install");
  assert.deepEqual(JSON.parse(decodeURIComponent(json)), { name: "loci", type: "http", url: address });
  assert.equal(linkOf(client("codex"), address, "K"), undefined);
});

test("hosted assistants reach only public https addresses", () => {
  for (const one of [address, "http://loci.example.org/mcp", "https://localhost/mcp", "https://127.0.0.1/mcp"]) assert.equal(isLocal(one), true, one);
  assert.equal(isLocal("https://loci.example.org/mcp"), false);
});

test("the request for a key has only what was chosen", () => {
  const now = Date.parse("2026-11-03T09:00:00Z");
  assert.deepEqual(requestOf({ ...emptyDraft, name: " k ", life: "" }, now), { name: "k" });
  assert.deepEqual(requestOf({ name: "k", vendor: "cursor", scopes: ["memories:read", "admin"], projects: ["p"], workspace: "w", life: "30" }, now), {
    name: "k", vendor: "cursor", scopes: ["memories:read"], project_ids: ["p"], workspace_id: "w", expires_at: "2026-12-03T09:00:00.000Z",
  });
});

test("a draft that waited is read, and nothing else", () => {
  assert.deepEqual(draftOf(JSON.stringify({ ...emptyDraft, name: "k" })), { ...emptyDraft, name: "k" });
  for (const text of [undefined, "", "{}", "null", "[", "5"]) assert.equal(draftOf(text), undefined, text);
});

test("a key works until it is revoked or expires", () => {
  const now = Date.parse("2026-11-03T09:00:00Z");
  assert.equal(usable({}, now), true);
  assert.equal(usable({ expires_at: "2026-11-03T09:00:01Z" }, now), true);
  assert.equal(usable({ expires_at: "2026-11-03T09:00:00Z" }, now), false);
  assert.equal(usable({ revoked_at: "2026-11-01T00:00:00Z" }, now), false);
});
