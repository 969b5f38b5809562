// Writes the examples of README.md as one program: test/readme/example.ts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const text = readFileSync(new URL("../README.md", here), "utf8");
const blocks = [...text.matchAll(/(<!-- not run: .+ -->\n)?```ts\n([^]*?)```/g)];
const run = blocks.filter(([, not]) => !not).map(([, , code]) => code);
mkdirSync(new URL("readme", here), { recursive: true });
writeFileSync(new URL("readme/example.ts", here), run.join("\n"));
console.log(`${run.length} of ${blocks.length} examples`);
