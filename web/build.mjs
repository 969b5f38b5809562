// Builds the dashboard into internal/web/dashboard, where the server embeds it: each file compressed, and no other.
// It prints the sizes, and fails if the first view has 200 KB or more.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));
const out = join(root, "../internal/web/dashboard");
const dist = join(root, "dist");
const most = 200_000;

await build({ root, logLevel: "warn", build: { emptyOutDir: true } });

/** files lists the files under a folder, in order. */
function files(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** compressed is the file in gzip. The same text keeps its bytes, because zlib differs from processor to processor. */
function compressed(name, text) {
  const old = join(out, name);
  if (existsSync(old)) {
    const bytes = readFileSync(old);
    if (gunzipSync(bytes).equals(text)) return bytes;
  }
  const bytes = gzipSync(text, { level: 9 });
  bytes[9] = 255; // the system that compressed it: unknown
  return bytes;
}

const built = new Map();
for (const name of files(dist)) {
  // The server knows the folder of assets, so the files lie side by side.
  const gz = name.replace(/^assets\//, "") + ".gz";
  built.set(gz, compressed(gz, readFileSync(join(dist, name))));
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, bytes] of built) writeFileSync(join(out, name), bytes);

const index = readFileSync(join(dist, "index.html"), "utf8");
const first = ["index.html.gz", ...[...index.matchAll(/\/app\/assets\/([^"]+)"/g)].map(([, name]) => `${name}.gz`)];
const size = (names) => names.reduce((sum, name) => sum + built.get(name).length, 0);
for (const [name, bytes] of built) console.log(`${String(bytes.length).padStart(8)} ${name}${first.includes(name) ? " (first view)" : ""}`);
console.log(`first view: ${size(first)} bytes in gzip, fewer than ${most}; all: ${size([...built.keys()])}`);
if (size(first) >= most) process.exit(1);
