#!/usr/bin/env bash
# Clients of the official SDKs stay connected while the server is killed and started again, and while two servers share one
# data directory behind one address: TypeScript 1.x and 2.x, Python 1.x and 2.x, with connections and, where the SDK has it,
# without.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

dir=test/integration/restart
sdk1=$(npm_dir mcp-sdk-1.32.2 @modelcontextprotocol/sdk@1.32.2)/node_modules/@modelcontextprotocol/sdk
sdk2=$(npm_dir mcp-client-2.4.0 @modelcontextprotocol/client@2.4.0)/node_modules/@modelcontextprotocol/client
py1=$(pip_dir mcp-python-1.30.0 mcp==1.30.0)/bin/python
py2=$(pip_dir mcp-python-2.0.0b2 mcp==2.0.0b2)/bin/python
rc=0

survives() { # survives NAME KIND COMMAND…: one client, see run.mjs
  local name=$1
  shift
  echo "$name"
  LOCI_AGENT_KEY_CLAUDE=loci_agent_$(random_hex) "$NODE22" $dir/run.mjs "$WORK/data-${name// /-}" "$(free_port)" "$(free_port)" \
    "$(free_port)" "$@" || rc=1
}

survives "TypeScript 1.32.2" legacy "$NODE22" $dir/sdk1.mjs "$sdk1"
survives "TypeScript 2.4.0 legacy" legacy "$NODE22" $dir/sdk2.mjs "$sdk2" legacy
survives "TypeScript 2.4.0 modern" modern "$NODE22" $dir/sdk2.mjs "$sdk2" auto
survives "Python 1.30.0" legacy "$py1" $dir/client.py legacy
survives "Python 2.0.0b2 legacy" legacy "$py2" $dir/client.py legacy
survives "Python 2.0.0b2 modern" modern "$py2" $dir/client.py modern
exit $rc
