# Shared by the integration scripts: a free port, a Loci server, an npm package. Source it after `set -euo pipefail`.
# Given by .ci/run: LOCI_BIN (the built binary), NODE22, WORK (a scratch directory), LOCI_CI_CACHE.

: "${LOCI_BIN:?run this through .ci/run integration}" "${NODE22:?}" "${WORK:?}" "${LOCI_CI_CACHE:?}"
[ -x "$LOCI_BIN" ] || { echo "there is no binary at $LOCI_BIN"; exit 1; }

pids=()
stop_all() {
  [ ${#pids[@]} -eq 0 ] && return
  kill "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
}
trap stop_all EXIT

free_port() {
  "$NODE22" -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}

random_hex() { "$NODE22" -e 'console.log(require("crypto").randomBytes(32).toString("hex"))'; }

# wait_http URL LOG waits until URL answers anything, at most 20 s, or until the process started last has ended.
wait_http() {
  local start=$SECONDS
  while [ $((SECONDS - start)) -lt 20 ] && kill -0 "${pids[-1]}" 2>/dev/null; do
    "$NODE22" -e 'fetch(process.argv[1]).then(()=>process.exit(0),()=>process.exit(1))' "$1" && return
    sleep 0.1
  done
  echo "nothing answers at $1; its log:"
  cat "$2"
  return 1
}

# start_loci NAME [VARIABLE=value…] starts the binary on a fresh data directory and sets BASE to its address.
start_loci() {
  local name=$1 port
  shift
  port=$(free_port)
  BASE=http://127.0.0.1:$port
  env "$@" "$LOCI_BIN" serve --data-dir "$WORK/$name-data" --listen "127.0.0.1:$port" >"$WORK/$name.log" 2>&1 &
  pids+=($!)
  wait_http "$BASE/health" "$WORK/$name.log"
}

# debian_package NAME installs a package; only root can.
debian_package() {
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1"
}

# npm_dir NAME PACKAGE@VERSION… installs packages once into the cache and prints the directory.
npm_dir() {
  local dir=$LOCI_CI_CACHE/$1
  shift
  if [ ! -f "$dir/.complete" ]; then
    rm -rf "$dir" && mkdir -p "$dir"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" "$@" >&2
    touch "$dir/.complete"
  fi
  echo "$dir"
}

# pip_dir NAME PACKAGE==VERSION… installs Python packages once into a virtual environment in the cache and prints its directory.
pip_dir() {
  local dir=$LOCI_CI_CACHE/$1
  shift
  if [ ! -f "$dir/.complete" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || debian_package python3-venv >&2
    rm -rf "$dir" && python3 -m venv "$dir"
    "$dir/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
    touch "$dir/.complete"
  fi
  echo "$dir"
}
