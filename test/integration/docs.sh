#!/usr/bin/env bash
# Follows README.md and docs/*.md as a newcomer does: for each file a fresh home and data directory, a server, and every
# command of the file in order, as pasted, in one shell. docs/session.mjs explains what is left out, and how to say so.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

command -v jq >/dev/null || debian_package jq # the documents use it
runner=$PWD/test/integration/docs/session.mjs shell=$PWD/test/integration/docs/shell.bash
mkdir -p "$WORK/bin"
ln -sf "$LOCI_BIN" "$WORK/bin/loci"

# fresh_home DIR makes the home of somebody who has two assistants, one with the reference memory server, and its file.
fresh_home() {
  mkdir -p "$1/home/.cursor" "$1/desk"
  cat >"$1/home/.claude.json" <<END
{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"],
  "env": {"MEMORY_FILE_PATH": "$1/home/memory.json"}}}}
END
  echo '{"type":"entity","name":"API gateway","entityType":"service","observations":["Listens on port 8443."]}' >"$1/home/memory.json"
  printf '\x89PNG\r\n\x1a\n a diagram' >"$1/desk/diagram.png"
  printf '%%PDF-1.7 some notes' >"$1/desk/notes.pdf"
}

failed=0
for file in "${@:-README.md docs/*.md}"; do
  for file in $file; do
    dir=$WORK/$(basename "$file" .md)
    rm -rf "$dir" && mkdir -p "$dir"
    port=$(free_port)
    summary=$("$NODE22" "$runner" "$file" "$port" "$dir") || { failed=1; continue; }
    echo "$summary"
    [ -n "$(tr -d '[:space:]' <"$dir/session.sh")" ] || continue
    fresh_home "$dir"
    (cd "$dir/desk" && env -i "PATH=$WORK/bin:$PATH" "HOME=$dir/home" "LOCI_DATA_DIR=$dir/data" LOCI_LISTEN="127.0.0.1:$port" \
      "BASH_ENV=$shell" "FILE=$file" "DIR=$dir" "PORT=$port" "NODE=$NODE22" "RUNNER=$runner" \
      timeout 120 bash "$dir/session.sh" </dev/null >"$dir/log" 2>&1 && [ ! -e "$dir/missed" ]) || { tail -40 "$dir/log"; [ ! -e "$dir/missed" ] || cat "$dir/missed"; failed=1; }
  done
done
exit $failed
