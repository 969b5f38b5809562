#!/usr/bin/env bash
# The shared statements of internal/store/sqlstore serve PostgreSQL, too: the storage suite, the plan of each way to list, and
# tenants, all on a throw-away server. See docs/adr/0012-one-sql-store.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

newest() { find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1; }

[ -n "$(newest)" ] || {
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends postgresql
}
bin=$(dirname "$(newest)")
dir=$(mktemp -d) # WORK may be closed to the user below

# as_server runs a command as somebody else than root, whom PostgreSQL refuses to serve.
as_server() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

stop() {
  (cd "$dir" && as_server "$bin/pg_ctl" -D data -m immediate stop) >/dev/null 2>&1 || true
  rm -rf "$dir"
}
trap stop EXIT

[ "$(id -u)" -ne 0 ] || chown postgres "$dir"
# Nothing here has to outlive the server.
options="-k $dir -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum_naptime=1s"
(
  cd "$dir"
  as_server "$bin/initdb" -D data -U postgres -A trust --locale=C -E UTF8 -N >initdb.log 2>&1 || { cat initdb.log; exit 1; }
  as_server "$bin/pg_ctl" -D data -w -l server.log -o "$options" start >/dev/null || { cat server.log; exit 1; }
)
"$bin/postgres" --version
LOCI_POSTGRES="host=$dir user=postgres dbname=postgres" \
  go test -count=1 -tags postgres -timeout 9m "$@" ./test/postgres/ -rapid.checks=10
