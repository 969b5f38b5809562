// Prints what the package adds to a program, minified and compressed, and fails above a limit.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const programs = {
  "a client with the group memories": ["import { LociClient, MemoriesApi } from './dist/index.js'; globalThis.x = new MemoriesApi(new LociClient());", 5_000],
  everything: ["import { Loci } from './dist/index.js'; globalThis.x = new Loci();", 10_000],
};
for (const [name, [contents, limit]] of Object.entries(programs)) {
  const resolveDir = new URL("..", import.meta.url).pathname;
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir } });
  const code = outputFiles[0].contents;
  const size = gzipSync(code, { level: 9 }).length;
  console.log(`${name}: ${code.length} bytes, ${size} compressed, at most ${limit}`);
  if (size > limit) process.exitCode = 1;
}
