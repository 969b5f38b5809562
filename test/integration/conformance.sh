#!/usr/bin/env bash
# MCP conformance for both protocol versions. Scenarios that need no fixture tools run against the real binary, the others
# against test/integration/fixtureserver, which serves the same internal/mcpserver with the suite's tools. The lists in
# conformance/*.txt say which scenario runs where and what may fail; anything else is an error. docs/conformance.md explains.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

suite() { # suite LIST URL OUT: runs the official tool and keeps its results in OUT
  local tool args
  case $1 in
    2025-11-25-active) tool=0.1.16 args=(--suite active --spec-version 2025-11-25) ;;
    *) tool=0.2.0-alpha.12 args=(--requirements "$1") ;;
  esac
  tool=$(npm_dir "conformance-$tool" "@modelcontextprotocol/conformance@$tool")/node_modules/@modelcontextprotocol/conformance
  # Its exit code knows nothing of our lists; check.mjs decides.
  "$NODE22" "$tool/dist/index.js" server --url "$2" "${args[@]}" -o "$3" >"$3.log" 2>&1 || true
}

check() { # check TARGET URL: each list of scenarios against one server
  local list bad=0
  for list in 2025-11-25 2026-07-28 2025-11-25-active; do
    suite "$list" "$2" "$WORK/$1-$list"
    "$NODE22" test/integration/conformance/check.mjs "test/integration/conformance/$list.txt" "$1" "$WORK/$1-$list" || bad=1
  done
  return $bad
}

rc=0

key=loci_agent_$(random_hex)
start_loci real "LOCI_AGENT_KEY_CLAUDE=$key"
go build -o "$WORK/bearerproxy" ./test/integration/bearerproxy
port=$(free_port)
BEARER_TOKEN=$key "$WORK/bearerproxy" --listen "127.0.0.1:$port" --target "$BASE" >"$WORK/proxy.log" 2>&1 &
pids+=($!)
wait_http "http://127.0.0.1:$port/health" "$WORK/proxy.log"
check real "http://127.0.0.1:$port/mcp" || rc=1

go build -o "$WORK/fixtureserver" ./test/integration/fixtureserver
port=$(free_port)
"$WORK/fixtureserver" --listen "127.0.0.1:$port" >"$WORK/fixture.log" 2>&1 &
pids+=($!)
wait_http "http://127.0.0.1:$port/mcp" "$WORK/fixture.log"
check fixture "http://127.0.0.1:$port/mcp" || rc=1

exit $rc
