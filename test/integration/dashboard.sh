#!/usr/bin/env bash
# The dashboard: the types hold, the unit tests pass, the built files are those of the sources, the first view is small and fast with
# 100,000 memories, and no view has a fault of accessibility in either theme. It runs the browser tests of internal/web with axe-core.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

PATH=$(dirname "$NODE22"):$PATH # npm, tsc and vite run with it, too
export npm_config_ignore_scripts=true
tree=$WORK/tree
mkdir -p "$tree/internal/web" "$tree/sdk/typescript"
cp -R web "$tree/web" && rm -rf "$tree/web/node_modules" "$tree/web/dist"
cp -R sdk/typescript/src "$tree/sdk/typescript/src"
cp -R internal/web/dashboard "$tree/internal/web/dashboard"

cd "$tree/web"
npm ci --silent
npm run --silent check
npm test --silent >"$WORK/unit.log" 2>&1 || { cat "$WORK/unit.log"; exit 1; }
grep -E '^(# |ℹ )(pass|fail) ' "$WORK/unit.log"
npm run --silent build
cd - >/dev/null
diff -r internal/web/dashboard "$tree/internal/web/dashboard" || { echo "internal/web/dashboard is not built from web/: run make web"; exit 1; }

# Axe and screenshots, over the tests that go through each view. The screenshots are to be looked at. If LOCI_AXE is set, these
# tests have run with it before.
if [ -z "${LOCI_AXE:-}" ]; then
  mkdir -p "$WORK/screenshots"
  LOCI_AXE=$tree/web/node_modules/axe-core/axe.min.js LOCI_SCREENSHOTS=$WORK/screenshots \
    go test -count=1 -run 'TestBrowserDashboard' ./internal/web
fi

# The first view and the matrix with 100,000 memories, and a graph with 50,000 entities. Another server is killed under an open page.
cat >"$WORK/seed.mjs" <<'END'
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
const [, , memories, graph] = process.argv;
const at = "2026-11-27T12:00:00.000000Z";
const vendors = [["*"], ["claude"], ["cursor", "claude"], ["chatgpt"]];
const lines = Array.from({ length: 100_000 }, (_, i) => JSON.stringify({ memory: {
  id: randomUUID(), title: `Memory ${i}`, content: `Fact ${i} of service ${i % 97}: it is deployed on day ${i % 28}.`, tags: [`t${i % 50}`],
  memory_type: "semantic", category: "fact", importance: 5, source: "manual", scope: "global", origin: "cli", allowed_vendors: vendors[i % 4],
  created_at: at, updated_at: at, version: 1, change: "created", editor: "cli",
} }));
writeFileSync(memories, ['{"loci":"export","format":4}', ...lines, JSON.stringify({ end: { lines: lines.length } })].join("\n"));
const kinds = ["service", "person", "team", "library", "host", "topic"];
const name = (i) => `${kinds[i % 6]} ${i}`;
// Each entity belongs to a group of 100 with a center, and the centers to a tree.
const above = (i) => (i % 100 ? i - (i % 100) : 100 * Math.floor(i / 1000));
writeFileSync(graph, [
  ...Array.from({ length: 50_000 }, (_, i) => JSON.stringify({ type: "entity", name: name(i), entityType: kinds[i % 6], observations: [`Number ${i}.`] })),
  ...Array.from({ length: 50_000 }, (_, i) => ({ type: "relation", from: name(i), to: name(above(i)), relationType: "belongs_to" }))
    .filter(({ from, to }) => from !== to).map((line) => JSON.stringify(line)),
].join("\n"));
END
start=$SECONDS
"$NODE22" "$WORK/seed.mjs" "$WORK/seed.jsonl" "$WORK/graph.jsonl"
"$LOCI_BIN" import "$WORK/seed.jsonl" --data-dir "$WORK/server-data"
"$LOCI_BIN" graph import "$WORK/graph.jsonl" --project large --create --data-dir "$WORK/server-data" >"$WORK/graph.log" || { cat "$WORK/graph.log"; exit 1; }
echo "stored 100,000 memories and 50,000 entities in $((SECONDS - start)) s"
start_loci server LOCI_RATE_LIMIT=0
LOCI_LINK=$("$LOCI_BIN" open --print --data-dir "$WORK/server-data") go test -count=1 -v -tags firstview -run 'TestFirstView|TestKilledServer' ./internal/web >"$WORK/first.log" 2>&1 ||
  { cat "$WORK/first.log"; exit 1; }
grep -E 'first view|matrix|graph|^--- ' "$WORK/first.log"
