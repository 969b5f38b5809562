#!/usr/bin/env bash
# The TypeScript SDK: what is generated is up to date, the types hold, the tests pass against the real binary and against servers
# that misbehave, the README's program runs with the package as npm would publish it, and the package has the files that it should.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

PATH=$(dirname "$NODE22"):$PATH # npm and tsc run with it, too
export npm_config_ignore_scripts=true
sdk=$WORK/sdk
mkdir -p "$sdk"
tar -C sdk/typescript --exclude=node_modules --exclude=dist -cf - . | tar -C "$sdk" -xf -
cmp LICENSE "$sdk/LICENSE"

key=loci_$(random_hex) agent=loci_agent_$(random_hex)
start_loci server "LOCI_API_KEY=$key" "LOCI_AGENT_KEY_CLAUDE=$agent" LOCI_DELETION=api_key
link=$("$LOCI_BIN" open --print --data-dir "$WORK/server-data")

cd "$sdk"
npm ci --silent
node generate.mjs "$BASE/openapi.json" "$WORK/api.ts"
diff -u src/api.ts "$WORK/api.ts" >"$WORK/api.diff" || {
  head -40 "$WORK/api.diff"
  echo "sdk/typescript/src/api.ts is not what the server describes: run node generate.mjs URL/openapi.json there"
  exit 1
}
npm run --silent build
node test/readme.mjs
npm run --silent check
npx tsc -p tsconfig.consumer.json
npm run --silent size

export LOCI_URL=${BASE/127.0.0.1/localhost} LOCI_API_KEY=$key LOCI_AGENT_KEY=$agent LOCI_LINK=$link
npm test --silent

npm pack --silent --pack-destination "$WORK" >/dev/null
tar -tzf "$WORK"/loci-memory-sdk-*.tgz | sort >"$WORK/files.txt"
for name in LICENSE README.md package.json dist/{api,changes,client,download,error,index,loci}.{js,d.ts}; do
  echo "package/$name"
done | sort | diff - "$WORK/files.txt" || { echo "the package has other files"; exit 1; }

mkdir "$WORK/consumer" && cd "$WORK/consumer"
echo '{"type":"module"}' >package.json
npm install --silent "$WORK"/loci-memory-sdk-*.tgz
cp "$sdk/test/readme/example.ts" .
node --disable-warning=ExperimentalWarning example.ts >example.txt || { cat example.txt; exit 1; }
echo "the README's program printed $(wc -l <example.txt) lines"
