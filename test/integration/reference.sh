#!/usr/bin/env bash
# The reference "memory" MCP server (npm) and `loci mcp` are told the same by the same client. Where the contract is shared, the
# answers must be the same; where ours differs on purpose, reference/steps.mjs says how, and both sides of it are checked.
# Then the file that the reference server wrote is imported, exported and given back to it: nothing may be lost on either way.
# An old release, which checks nothing, writes a file with all that is found in real ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

NEW=2026.8.31
OLD=2025.9.25

# server VERSION prints the entry file of a release.
server() {
  echo "$(npm_dir "server-memory-$1" "@modelcontextprotocol/server-memory@$1")/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
}

new=$(server $NEW)
old=$(server $OLD)
rc=0
"$NODE22" test/integration/reference/converse.mjs "$new" "$WORK" || rc=1
"$NODE22" test/integration/reference/compat.mjs "$new" "$WORK" || rc=1
"$NODE22" test/integration/reference/transfer.mjs "$new" "$old" "$WORK" || rc=1
exit $rc
