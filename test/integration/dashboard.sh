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

# The first view with 100,000 memories.
start_loci server LOCI_API_KEY=loci_key_for_the_first_view LOCI_RATE_LIMIT=0
cat >"$WORK/seed.mjs" <<'END'
const [url, key] = process.argv.slice(2);
for (let n = 0; n < 100_000; n += 1000) {
  const operations = Array.from({ length: 1000 }, (_, i) => ({
    op: "create",
    memory: { title: `Memory ${n + i}`, content: `Fact ${n + i} of service ${(n + i) % 97}: it is deployed on day ${(n + i) % 28}.`, tags: [`t${i % 50}`], similar: false },
  }));
  const answer = await fetch(`${url}/api/v1/memories/bulk`, { method: "POST", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }, body: JSON.stringify({ operations }) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}
END
start=$SECONDS
"$NODE22" "$WORK/seed.mjs" "$BASE" loci_key_for_the_first_view
echo "stored 100,000 memories in $((SECONDS - start)) s"
LOCI_LINK=$("$LOCI_BIN" open --print --data-dir "$WORK/server-data") go test -count=1 -v -tags firstview -run TestFirstView ./internal/web >"$WORK/first.log" 2>&1 ||
  { cat "$WORK/first.log"; exit 1; }
grep 'first view' "$WORK/first.log"
