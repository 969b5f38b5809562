/** A program that can use Loci, and how it learns of it. */
export interface Client {
  id: string;
  name: string;
  /** The vendor that its key has. */
  vendor: string;
  /** It can sign in (OAuth), so that it needs no key. */
  signsIn: boolean;
  /** It can send a key. Hosted assistants cannot. */
  takesKey: boolean;
  /** It runs at its maker, so it needs a public address. */
  hosted?: boolean;
  /** The name that `loci connect` has for it. */
  command?: string;
  /** Where its settings are: a page of its maker. */
  settings?: string;
  /** The file for its configuration. */
  file?: string;
  /** How its configuration looks. */
  form: Form;
}

interface Form {
  kind: "claude" | "json" | "toml" | "address";
  servers?: string;
  url?: string;
  type?: string;
}

/** The clients, in the order of the cards. The files and forms are those of docs/clients.md. */
export const clients: readonly Client[] = [
  { id: "claude", name: "Claude", vendor: "claude", signsIn: true, takesKey: false, hosted: true, settings: "https://claude.ai/settings/connectors", form: { kind: "address" } },
  { id: "claude-code", name: "Claude Code", vendor: "claude", signsIn: true, takesKey: true, command: "claude-code", form: { kind: "claude" } },
  { id: "chatgpt", name: "ChatGPT", vendor: "chatgpt", signsIn: true, takesKey: false, hosted: true, settings: "https://chatgpt.com/#settings/Connectors", form: { kind: "address" } },
  { id: "cursor", name: "Cursor", vendor: "cursor", signsIn: true, takesKey: true, command: "cursor", file: "~/.cursor/mcp.json", form: { kind: "json" } },
  { id: "vscode", name: "VS Code", vendor: "vscode", signsIn: true, takesKey: true, command: "vscode", file: ".vscode/mcp.json", form: { kind: "json", servers: "servers", type: "http" } },
  { id: "codex", name: "Codex", vendor: "codex", signsIn: false, takesKey: true, command: "codex", file: "~/.codex/config.toml", form: { kind: "toml" } },
  { id: "gemini-cli", name: "Gemini CLI", vendor: "gemini", signsIn: false, takesKey: true, command: "gemini-cli", file: "~/.gemini/settings.json", form: { kind: "json", url: "httpUrl" } },
  { id: "windsurf", name: "Windsurf", vendor: "windsurf", signsIn: false, takesKey: true, command: "windsurf", file: "~/.codeium/windsurf/mcp_config.json", form: { kind: "json", url: "serverUrl" } },
  { id: "zed", name: "Zed", vendor: "zed", signsIn: false, takesKey: true, command: "zed", file: "~/.config/zed/settings.json", form: { kind: "json", servers: "context_servers" } },
  { id: "opencode", name: "OpenCode", vendor: "opencode", signsIn: false, takesKey: true, command: "opencode", file: "~/.config/opencode/opencode.json", form: { kind: "json", servers: "mcp", type: "remote" } },
  { id: "other", name: "", vendor: "", signsIn: true, takesKey: true, form: { kind: "address" } },
];

/** What a client gets to copy: a command, a part of a file, or an address. key is "" if it signs in. */
export function configOf({ form }: Client, address: string, key: string): string {
  const header = `Bearer ${key}`;
  switch (form.kind) {
    case "claude":
      return `claude mcp add --scope user --transport http loci ${address}${key && ` --header "Authorization: ${header}"`}`;
    case "toml":
      return `[mcp_servers.loci]\nurl = "${address}"${key && `\nhttp_headers = { "Authorization" = "${header}" }`}`;
    case "json":
      return JSON.stringify({ [form.servers ?? "mcpServers"]: { loci: entryOf(form, address, key) } }, null, 2);
    default:
      return key ? `${address}\nAuthorization: ${header}` : address;
  }
}

function entryOf(form: Form, address: string, key: string) {
  return {
    ...(form.type && { type: form.type }),
    [form.url ?? "url"]: address,
    ...(key && { headers: { Authorization: `Bearer ${key}` } }),
  };
}

/** The link that adds Loci to a client in one click; undefined: the client has none. */
export function linkOf({ id, form }: Client, address: string, key: string): string | undefined {
  const entry = entryOf(form, address, key);
  if (id === "cursor") return `cursor://anysphere.cursor-deeplink/mcp/install?name=loci&config=${encodeURIComponent(btoa(JSON.stringify(entry)))}`;
  if (id === "vscode") return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "loci", ...entry }))}`;
  return undefined;
}

/** Tells whether an address leads to this machine only, so that no hosted assistant can reach it. */
export function isLocal(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol !== "https:" || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
