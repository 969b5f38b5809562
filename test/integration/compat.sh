#!/usr/bin/env bash
# The published clients of the product that seed S1 describes must work against us unchanged. Each client tells the
# story of compat/scenario.mjs to a fresh server. The packages run if the npm registry has them, and the last line
# counts those that did and did not. compat/wire.mjs always runs. It imitates the requests of the clients, so it does
# not count as a client. COMPAT_SOURCE may name a checkout of the product's repository: then its clients and its smoke
# scripts run instead of the packages. COMPAT_SDK, COMPAT_BRIDGE and COMPAT_N8N may name the entry file of one client.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash
. test/integration/compat/source.bash

rc=0
runs=0
clients=0 # published packages that ran
absent=0  # published packages that the registry does not have
RUN_ENV=  # further variables of the server

# run SCRIPT VENDOR [VARIABLE=value…] tells the story to a fresh server.
run() {
  local script=$1 vendor=$2 key other
  shift 2
  runs=$((runs + 1))
  key=loci_agent_$(random_hex) other=loci_agent_$(random_hex)
  # shellcheck disable=SC2086 # several variables
  start_loci "compat$runs" "LOCI_AGENT_KEY_${vendor^^}=$key" "LOCI_AGENT_KEY_CLAUDE=$other" $RUN_ENV
  env "$@" BASE="$BASE" KEY="$key" VENDOR="$vendor" OTHER_KEY="$other" OTHER_VENDOR=claude \
    "$NODE22" "test/integration/compat/$script.mjs" || rc=1
}

# package SCRIPT VENDOR COPY PACKAGE@VERSION ENTRY [VARIABLE=value…]
package() {
  local script=$1 vendor=$2 entry=$3 package=$4 inside=$5 dir
  shift 5
  if [ -z "$entry" ]; then
    if ! npm view "$package" version >"$WORK/npm.log" 2>&1; then
      # Only "the registry has no such package" is let through; any other trouble with npm is a failure.
      grep -q E404 "$WORK/npm.log" || { cat "$WORK/npm.log"; rc=1; return; }
      echo "$package not run: not in the registry"
      absent=$((absent + 1))
      return
    fi
    dir=$(npm_dir "compat-${package//[@\/]/-}" "$package")
    entry=$dir/node_modules/$inside
  fi
  clients=$((clients + 1))
  run "$script" "$vendor" CLIENT="$entry" "$@"
}

run wire cursor DIALECT=sdk
run wire n8n DIALECT='n8n 1.0.3'
run wire n8n DIALECT='n8n 1.0.2'

# The routes of dashboards and scripts, with the owner's key and an agent's.
owner=loci_live_$(random_hex)
validator=$(npm_dir openapi-schema-validator-2.11.0 @seriousme/openapi-schema-validator@2.11.0)
RUN_ENV="LOCI_API_KEY=$owner LOCI_DELETION=api_key LOCI_PUBLIC_URL=https://loci.example"
run routes cursor OWNER_KEY="$owner" VALIDATOR="$validator/node_modules/@seriousme/openapi-schema-validator/index.js"
RUN_ENV=

if [ -n "${COMPAT_SOURCE-}" ]; then
  build_source
  start_loci compat-scripts "LOCI_API_KEY=$owner" LOCI_DELETION=api_key
  source_scripts "$owner" || rc=1
fi

mcp_sdk=$(npm_dir mcp-sdk-1.32.2 @modelcontextprotocol/sdk@1.32.2)
package sdk chatgpt "${COMPAT_SDK-}" reflect-memory-sdk@0.2.0 reflect-memory-sdk/dist/index.js
package bridge cursor "${COMPAT_BRIDGE-}" reflect-memory-mcp@1.1.0 reflect-memory-mcp/server.mjs MCP_SDK="$mcp_sdk"
package n8n n8n "${COMPAT_N8N-}" n8n-nodes-reflect-memory@1.0.3 \
  n8n-nodes-reflect-memory/dist/nodes/ReflectMemory/ReflectMemory.node.js

echo "compat: $clients clients run, $absent not run (not in the registry)"
exit $rc
