#!/usr/bin/env bash
# Asks a server for context packs over texts in many scripts, with many budgets, and compares what they say of their tokens
# with what the tokenizers of OpenAI, Anthropic and Meta count.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/integration/lib.bash

# shellcheck disable=SC2153 # lib.bash sets it
modules=$(npm_dir tokenizers-1 gpt-tokenizer@3.4.0 @anthropic-ai/tokenizer@0.0.4 llama3-tokenizer-js@1.2.0)/node_modules
start_loci tokens LOCI_RATE_LIMIT=0
key=$("$LOCI_BIN" key create --name tokens --data-dir "$WORK/tokens-data")
"$NODE22" test/integration/tokens/packs.mjs "$BASE" "$key" "$modules" testdata/tokens.json
