#!/usr/bin/env bash
# The whole life of memories, told over REST and at the command line to the real binary, without a browser: saved by key, updated in
# place, superseded and corrected, attached to, recalled with why and at other times, watched as it changes, undone, exported, imported
# elsewhere, and erased. life/walk.mjs tells the part over REST; what changes at the data directory meanwhile is told here.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

key=loci_$(random_hex) claude=loci_agent_$(random_hex) cursor=loci_agent_$(random_hex)
start_loci life "LOCI_API_KEY=$key" "LOCI_AGENT_KEY_CLAUDE=$claude" "LOCI_AGENT_KEY_CURSOR=$cursor"
data=$WORK/life-data

fail() { echo "FAIL: $*"; exit 1; }

loci() { "$LOCI_BIN" --data-dir "$data" "$@"; }

BASE="$BASE" KEY="$key" CLAUDE="$claude" CURSOR="$cursor" DATA="$data" LOCI_BIN="$LOCI_BIN" "$NODE22" test/integration/life/walk.mjs

# Undo, while the server is up: all that cursor did is reversed as new versions, and the undo is undone.
before=$(loci list --json --limit 500 | grep -o '"origin": *"cursor"' | wc -l)
[ "$before" -gt 0 ] || fail "cursor has written nothing"
loci undo --origin cursor --since 24h --dry-run >"$WORK/undo-dry.txt"
[ "$(loci list --json --limit 500 | grep -o '"origin": *"cursor"' | wc -l)" -eq "$before" ] || fail "a dry run changed something"
loci undo --origin cursor --since 24h >"$WORK/undo.txt"
[ "$(loci list --json --limit 500 | grep -o '"origin": *"cursor"' | wc -l)" -eq 0 ] || { cat "$WORK/undo.txt"; fail "undo left something of cursor's"; }
loci undo --origin cli --since 24h >"$WORK/redo.txt"
[ "$(loci list --json --limit 500 | grep -o '"origin": *"cursor"' | wc -l)" -eq "$before" ] || { cat "$WORK/redo.txt"; fail "undoing the undo did not bring all back"; }

# Export, import into a fresh directory, export: the same bytes, and nothing is damaged.
loci doctor >"$WORK/doctor.txt" || { cat "$WORK/doctor.txt"; fail "doctor"; }
loci export "$WORK/one.jsonl" 2>/dev/null || loci export >"$WORK/one.jsonl"
"$LOCI_BIN" --data-dir "$WORK/life-copy" import "$WORK/one.jsonl" >"$WORK/import.txt" 2>&1 || { cat "$WORK/import.txt"; fail "import"; }
"$LOCI_BIN" --data-dir "$WORK/life-copy" export >"$WORK/two.jsonl" 2>/dev/null
cmp "$WORK/one.jsonl" "$WORK/two.jsonl" || fail "what was imported is exported differently"
"$LOCI_BIN" --data-dir "$WORK/life-copy" doctor >"$WORK/doctor2.txt" || { cat "$WORK/doctor2.txt"; fail "doctor of the copy"; }
echo "export, import, export: $(wc -l <"$WORK/one.jsonl") lines, the same bytes"
