// Turns the commands of a Markdown file into one shell session, and compares what a command prints with what the file
// shows.
//
//   session.mjs FILE.md PORT DIR       writes DIR/session.sh and DIR/shown.LINE, and prints a summary
//   session.mjs --compare SHOWN PRINTED
//
// It takes every fenced block of the languages sh and console. In a console block, commands begin with "$ " and the
// other lines are what they print. A block is left out only after a comment that gives the reason:
//
//   <!-- not run: REASON -->               the next block
//   <!-- not run: `COMMAND`: REASON -->    the lines of the next block that begin with COMMAND
//
// session.sh has as many lines as the file, so the shell reports the file's line numbers.
import { readFileSync, writeFileSync } from "node:fs";

const fence = /^( *)```(\S*) *$/;
const marker = /^ *<!-- not run: (?:`([^`]+)`: )?(.+?) -->$/;

function fail(text) {
  console.error(text);
  process.exit(1);
}

// blocks returns the fenced blocks with their markers.
function blocks(file, lines) {
  const found = [];
  let open, markers = [];
  lines.forEach((line, i) => {
    const at = `${file}:${i + 1}`;
    const f = fence.exec(line);
    if (open) {
      if (f && f[1] === open.indent) {
        found.push(open);
        open = undefined;
      } else open.lines.push({ at: i, text: line.startsWith(open.indent) ? line.slice(open.indent.length) : line });
      return;
    }
    if (f) {
      open = { at, indent: f[1], language: f[2], markers, lines: [] };
      markers = [];
      return;
    }
    const m = marker.exec(line);
    if (m) markers.push({ command: m[1], reason: m[2], at });
    else if (/<!--\s*not run/.test(line)) fail(`${at}: a marker has the form <!-- not run: REASON -->`);
    else if (line.trim() !== "" && markers.length) fail(`${markers[0].at}: no block follows this marker`);
  });
  if (open) fail(`${open.at}: the block is not closed`);
  if (markers.length) fail(`${markers[0].at}: no block follows this marker`);
  return found;
}

// leftOut returns the marker that leaves a line out.
function leftOut(block, text) {
  const m = block.markers.find((m) => !m.command || text.startsWith(m.command));
  if (m) m.used = true;
  return m;
}

// expectStatus makes `curl … # 412: reason` require that status.
function expectStatus(text) {
  const status = /^curl .*\s# (\d{3})\b/.exec(text);
  return status ? `STATUS=${status[1]} ${text}` : text;
}

function session(file, port, dir) {
  const lines = readFileSync(file, "utf8").split("\n");
  const script = lines.map(() => "");
  let commands = 0, skipped = [];
  for (const b of blocks(file, lines)) {
    if (b.language !== "sh" && b.language !== "console") {
      if (b.markers.length) fail(`${b.markers[0].at}: a block without commands is never run`);
      continue;
    }
    for (let i = 0; i < b.lines.length; i++) {
      const { at, text } = b.lines[i];
      if (text.trim() === "") continue;
      if (b.language === "console" && !text.startsWith("$ ")) continue;
      const command = (b.language === "console" ? text.slice(2) : text).replaceAll("localhost:5624", `localhost:${port}`);
      if (leftOut(b, command)) continue;
      commands++;
      script[at] = expectStatus(command);
      if (b.language !== "console") continue;
      const shown = [];
      for (let j = i + 1; j < b.lines.length && !b.lines[j].text.startsWith("$ "); j++) shown.push(b.lines[j].text);
      if (!shown.some((s) => s.trim() !== "")) continue;
      writeFileSync(`${dir}/shown.${at + 1}`, shown.join("\n"));
      script[at] = `{ ${command}`;
      script[at + 1] = `} >"$DIR/printed" 2>&1; shown ${at + 1}`;
    }
    const unused = b.markers.find((m) => !m.used);
    if (unused) fail(`${unused.at}: the marker leaves nothing out`);
    skipped.push(...b.markers);
  }
  writeFileSync(`${dir}/session.sh`, script.join("\n"));
  for (const m of skipped) console.log(`  ${m.at}: not run: ${m.command ? m.command + ": " : ""}${m.reason}`);
  console.log(`${file}: ${commands} lines of commands`);
}

// same replaces what differs from run to run: ids, times and the widths of columns.
function same(text) {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?/g, "TIME")
    .split("\n").map((line) => line.trim().replace(/\s+/g, " ")).filter((line) => line !== "");
}

// compare requires that the printed lines are those shown. An ellipsis in the file stands for anything.
function compare(shownFile, printedFile) {
  const shown = same(readFileSync(shownFile, "utf8")), printed = same(readFileSync(printedFile, "utf8"));
  const matches = (pattern, line) =>
    new RegExp("^" + pattern.split("…").map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*") + "$").test(line);
  if (shown.length === printed.length && shown.every((s, i) => matches(s, printed[i]))) return;
  fail(["the file shows:", ...shown.map((s) => "  " + s), "the command prints:", ...printed.map((s) => "  " + s)].join("\n"));
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--compare") compare(...rest);
else session(first, ...rest);
