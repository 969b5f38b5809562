#!/usr/bin/env bash
# A client of the official TypeScript SDK stays connected while the server is killed and started again, and while two servers
# share one data directory behind one address.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

sdk=$(npm_dir mcp-sdk-1.32.2 @modelcontextprotocol/sdk@1.32.2)/node_modules/@modelcontextprotocol/sdk
LOCI_AGENT_KEY_CLAUDE=loci_agent_$(random_hex)
export LOCI_AGENT_KEY_CLAUDE
"$NODE22" test/integration/restart/client.mjs "$sdk" "$WORK/data" "$(free_port)" "$(free_port)" "$(free_port)"
