#!/usr/bin/env bash
# The authorization suite of the MCP conformance tool against the real binary. docs/conformance.md explains.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

start_loci authorization
# The command works beside the running server, on the same data directory.
BASE=${BASE/127.0.0.1/localhost} # the name of the authorization server
link=$("$LOCI_BIN" user link --data-dir "$WORK/authorization-data" 2>"$WORK/link.log") ||
  { cat "$WORK/link.log"; exit 1; }
tool=$(npm_dir conformance-0.2.0-alpha.12 @modelcontextprotocol/conformance@0.2.0-alpha.12)/node_modules/@modelcontextprotocol/conformance
mkdir -p "$WORK/results"
"$NODE22" test/integration/conformance/authorization.mjs "$tool" "$BASE" "$link" "$(free_port)" "$WORK/results"
