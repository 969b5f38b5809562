#!/usr/bin/env bash
# Real clients connect to Loci and list its tools: with a key and over stdio as `loci connect` sets them up, and by OAuth, with a
# browser that allows what they ask for. They need no account: none of them asks a model.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

packages=(@anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33
  @modelcontextprotocol/inspector@2.12.0 mcp-remote@0.15.1)
modules=$(npm_dir "clients-$(echo "${packages[@]}" | cksum | cut -d' ' -f1)" "${packages[@]}")/node_modules
arch=$("$NODE22" -p process.arch)
here=$PWD/test/integration/clients
data=$WORK/server-data calls=$WORK/calls page=$WORK/page work=$WORK/folder
mkdir -p "$work" "$WORK/bin"

unset "${!XDG_@}" "${!CLAUDE_@}" "${!CODEX_@}" "${!GEMINI_@}" "${!OPENCODE_@}"
export PATH=$WORK/bin:$(dirname "$NODE22"):$PATH NO_COLOR=1 TERM=dumb DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9
claude=("$modules/@anthropic-ai/claude-code-linux-$arch/claude")
codex=("$NODE22" "$modules/@openai/codex/bin/codex.js")
gemini=("$NODE22" "$modules/.bin/gemini")
opencode=("$modules/opencode-linux-$arch/bin/opencode")
inspector=("$NODE22" "$modules/.bin/mcp-inspector" --cli)
loci=(env -u LOCI_BIN -u LOCI_CI -u LOCI_CI_CACHE "$LOCI_BIN" --data-dir "$data")

start_loci server
recorder=$(free_port)
address=http://localhost:$recorder/mcp
"$NODE22" "$here/recorder.mjs" "$recorder" "$BASE" >>"$calls" 2>"$WORK/recorder.log" &
pids+=($!)
wait_http "http://127.0.0.1:$recorder/health" "$WORK/recorder.log"

# home NAME is a new home, in which Gemini trusts the folder and has a key that it does not use.
home() {
  export HOME=$WORK/home-$1
  mkdir -p "$HOME/.gemini"
  echo "{\"$work\": \"TRUST_FOLDER\"}" >"$HOME/.gemini/trustedFolders.json"
  echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' >"$HOME/.gemini/settings.json"
}

# expect WHAT PATTERN COMMAND… runs a command in the folder, and looks for a pattern in what it prints.
expect() {
  local what=$1 pattern=$2 out=$WORK/out start=$SECONDS
  shift 2
  (cd "$work" && timeout 300 "$@" </dev/null) >"$out" 2>&1 || true
  grep -qE "$pattern" "$out" || { echo "$what: no $pattern in:"; cat "$out" "$calls"; tail -5 "$WORK/server.log"; exit 1; }
  echo "$what: ok in $((SECONDS - start)) s"
}

# listed WHAT fails unless a client has listed the tools over HTTP since the last call.
listed() {
  grep -q '^tools/list 200' "$calls" || { echo "$1 listed no tools:"; cat "$calls"; exit 1; }
  : >"$calls"
}

# gemini_lists WHAT starts Gemini, which lists the tools before it asks its model, and ends it then.
gemini_lists() {
  local start=$SECONDS
  (cd "$work" && exec timeout 300 "${gemini[@]}" -p hi </dev/null >"$WORK/out" 2>&1) &
  while ! grep -q '^tools/list 200' "$calls" && kill -0 $! 2>/dev/null; do sleep 0.2; done
  kill $! 2>/dev/null || true
  wait $! || true
  listed "$1"
  echo "$1: listed in $((SECONDS - start)) s"
}

# by_remote ARGUMENT… lists the tools with the inspector through mcp-remote, to which the arguments go.
by_remote() {
  "$NODE22" -e 'const [command, ...args] = process.argv.slice(1); console.log(JSON.stringify({ mcpServers: { loci: { command, args } } }))' \
    "$NODE22" "$modules/.bin/mcp-remote" "$@" >"$WORK/remote.json"
  expect mcp-remote '"name": "write_memory"' "${inspector[@]}" --config "$WORK/remote.json" --server loci --connect-timeout 300000 --method tools/list
  listed mcp-remote
}

echo '== with a key'
home key
"${loci[@]}" connect claude-code codex gemini-cli opencode --yes --listen "127.0.0.1:$recorder" >"$WORK/connect" 2>&1 || { cat "$WORK/connect"; exit 1; }
expect 'Claude Code' '^loci: .*Connected' "${claude[@]}" mcp list
listed 'Claude Code'
expect Codex '^3[0-9]$' "$NODE22" "$here/codex.mjs" "${codex[1]}"
listed Codex
gemini_lists 'Gemini CLI'
expect OpenCode 'loci.*connected' "${opencode[@]}" mcp list
listed OpenCode
key=$("${loci[@]}" agent-key create --vendor inspector --name inspector)
expect 'MCP Inspector' '"name": "write_memory"' "${inspector[@]}" "$address" --transport http --header "Authorization: Bearer $key" --method tools/list
listed 'MCP Inspector'
by_remote "$address" --header "Authorization:Bearer $key"

echo '== over stdio'
home stdio
"${loci[@]}" connect claude-code codex gemini-cli opencode --yes --stdio >"$WORK/connect" 2>&1 || { cat "$WORK/connect"; exit 1; }
expect 'Claude Code' '^loci: .*Connected' "${claude[@]}" mcp list
expect Codex '^3[0-9]$' "$NODE22" "$here/codex.mjs" "${codex[1]}"
expect 'Gemini CLI' 'loci: .*Connected' "${gemini[@]}" mcp list
expect OpenCode 'loci.*connected' "${opencode[@]}" mcp list
expect 'MCP Inspector' '"name": "write_memory"' "${inspector[@]}" "${loci[@]}" mcp --vendor inspector --method tools/list
for client in 'Claude Code +claude' 'Codex +codex' 'Gemini CLI +gemini' 'OpenCode +opencode' 'inspector \(stdio\) +inspector'; do
  expect "last use of $client" "^$client +stdio +20" "${loci[@]}" status
done

echo '== by OAuth'
link=$("${loci[@]}" open --print)
export BROWSER=$WORK/bin/xdg-open
cookie=$("$NODE22" -e 'fetch(process.argv[1].split("?")[0], { method: "POST", redirect: "manual", headers: { "Sec-Fetch-Site": "same-origin" },
  body: new URLSearchParams({ token: process.argv[1].split("token=")[1] }) }).then((a) => console.log(a.headers.get("set-cookie").split(";")[0]))' "$link")
home oauth

# allow_as VENDOR makes the browser, under the names that the clients try. Some of them pass it no variables.
allow_as() {
  printf '#!/bin/sh\nCOOKIE="%s" VENDOR="%s" PAGE="%s" exec "%s" "%s" "$@" >>"%s" 2>&1\n' "$cookie" "$1" "$page" "$NODE22" \
    "$here/browser.mjs" "$WORK/browser.log" >"$BROWSER"
  chmod +x "$BROWSER"
  cp "$BROWSER" "$WORK/bin/open"
  cp "$BROWSER" "$WORK/bin/x-www-browser"
}

# claude_signs_in ends with 1 if Loci shows an error instead of its question. Claude Code asks for a terminal.
claude_signs_in() {
  rm -f "$page"
  (cd "$work" && exec timeout 300 script -qec "'${claude[0]}' mcp login loci" /dev/null </dev/null >"$WORK/out" 2>&1) &
  while [ ! -e "$page" ] && kill -0 $! 2>/dev/null; do sleep 0.2; done
  kill $! 2>/dev/null || true
  wait $! || true
  [ ! -e "$page" ]
}

allow_as claude
expect 'Claude Code is added' 'Added HTTP MCP server loci' "${claude[@]}" mcp add --scope user --transport http loci "$address"
if ! claude_signs_in; then # its metadata document cannot be fetched from here
  grep -q 'connect again, so that it registers here instead' "$page" || { cat "$page"; exit 1; }
  expect 'Claude Code, which signs out' 'Signed out' "${claude[@]}" mcp logout loci
  claude_signs_in || { cat "$WORK/out" "$page"; exit 1; }
fi
: >"$calls"
expect 'Claude Code' '^loci: .*Connected' "${claude[@]}" mcp list
listed 'Claude Code'
allow_as codex
expect 'Codex, which signs in' 'Successfully logged in' "${codex[@]}" mcp add loci --url "$address"
expect Codex '^3[0-9]$' "$NODE22" "$here/codex.mjs" "${codex[1]}"
listed Codex
allow_as opencode
mkdir -p "$HOME/.config/opencode"
echo "{\"mcp\": {\"loci\": {\"type\": \"remote\", \"url\": \"$address\"}}}" >"$HOME/.config/opencode/opencode.json"
expect 'OpenCode, which signs in' 'Authentication successful' "${opencode[@]}" mcp auth loci
: >"$calls"
expect OpenCode 'loci.*connected' "${opencode[@]}" mcp list
listed OpenCode
allow_as claude # as Claude Desktop uses it
by_remote "$address?toolsets=memory"
"${loci[@]}" status
