#!/usr/bin/env bash
# Acts thirteen sessions of an assistant with the published MCP client and counts the calls and the tokens of the answers. A session
# that is impossible, or that needs a tool outside the default toolsets, fails. LOCI_BEFORE compares with an older binary.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

MODULES=$(npm_dir sessions-1 @modelcontextprotocol/sdk@1.32.2 js-tiktoken@1.0.21)
export MODULES WORK
"$NODE22" test/integration/sessions/run.mjs
