#!/usr/bin/env bash
# Draw first-use.svg: run the real binary in an empty home directory and render what it prints.
# Ids and times differ at each run, so the picture shows fixed ones. It leaves out the link that
# the first start prints, and the differences that connect shows. The rest is what Loci printed.
#   docs/pictures/make.sh [path of a loci binary]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

mkdir "$work/bin" "$work/home"
if [ $# -gt 0 ]; then
	cp "$1" "$work/bin/loci"
else
	(cd "$here/../.." && CGO_ENABLED=0 go build -trimpath -o "$work/bin/loci" ./cmd/loci)
fi

export HOME=$work/home PATH=$work/bin:$PATH TZ=UTC NO_COLOR=1
unset XDG_DATA_HOME XDG_CONFIG_HOME CLAUDE_CONFIG_DIR CODEX_HOME
for name in $(compgen -e LOCI_ || true); do unset "$name"; done
cd "$HOME"

comment() { printf '\n# %s\n' "$1"; }
run() {
	printf '$ %s\n' "$*"
	eval "$*" 2>&1
}
memory() { loci list --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1; }

session() {
	printf '$ loci serve\n'
	loci serve >"$work/serve.out" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		! grep -q '^Stop with Ctrl-C' "$work/serve.out" || break
		kill -0 "$server" 2>/dev/null || { cat "$work/serve.out" >&2; exit 1; }
		sleep 0.1
	done
	head -n 2 "$work/serve.out"
	printf '…\n'
	comment 'In another terminal: connect two assistants'
	printf '$ loci connect claude-code\n'
	loci connect claude-code --yes 2>/dev/null
	printf '$ loci connect cursor\n'
	loci connect cursor --yes 2>/dev/null
	comment 'Claude saves a fact, and Cursor finds it'
	run 'loci add "We deploy on Tuesdays." --title Deploys --as claude'
	run 'loci recall "when do we deploy" --as cursor'
	comment 'You restrict it to Claude, and Cursor no longer finds it'
	printf '$ loci edit 6f1d2c1e --allow claude\n' | sed "s/6f1d2c1e/$(memory)/"
	loci edit "$(memory)" --allow claude
	run 'loci recall "when do we deploy" --as cursor'
	comment 'Loci kept the old version'
	printf '$ loci history 6f1d2c1e\n' | sed "s/6f1d2c1e/$(memory)/"
	loci history "$(memory)"
}

session >"$work/session.txt"
sed -E \
	-e "s#$work/home#~#g" \
	-e 's/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e/g' \
	-e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/2026-01-31 09:00/g' \
	"$work/session.txt" | python3 "$here/svg.py" >"$here/first-use.svg"
