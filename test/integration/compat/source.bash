# Builds the clients of the checkout COMPAT_SOURCE in a copy, and runs its scripts. Sourced by compat.sh.

# build_source compiles the clients into a copy and sets COMPAT_SDK, COMPAT_BRIDGE and COMPAT_N8N to their entry files.
build_source() {
  local copy=$WORK/compat-source tools esbuild node f
  tools=$(npm_dir compat-source-1 esbuild@0.28.2 n8n-workflow@2.41.0 @modelcontextprotocol/sdk@1.32.2)
  esbuild=$tools/node_modules/esbuild/bin/esbuild
  node=integrations/n8n/n8n-nodes-reflect-memory
  mkdir -p "$copy"
  cp -R "$COMPAT_SOURCE/packages/sdk/src" "$copy/sdk"
  cp "$COMPAT_SOURCE/integrations/cursor/server.mjs" "$copy/server.mjs"
  ln -s "$tools/node_modules" "$copy/node_modules"
  set -- "$NODE22" "$esbuild" --platform=node --log-level=warning
  "$@" "$copy/sdk/index.ts" --bundle --format=esm --outfile="$copy/sdk.mjs"
  for f in credentials/ReflectMemoryApi.credentials nodes/ReflectMemory/ReflectMemory.node; do
    "$@" "$COMPAT_SOURCE/$node/$f.ts" --format=cjs --outfile="$copy/dist/$f.js"
  done
  COMPAT_SDK=$copy/sdk.mjs COMPAT_BRIDGE=$copy/server.mjs
  COMPAT_N8N=$copy/dist/nodes/ReflectMemory/ReflectMemory.node.js
}

# source_scripts runs the checkout's own smoke scripts against the server at BASE, with the owner's key.
source_scripts() {
  local key=$1 script log
  export RM_SMOKE_BASE_URL=$BASE RM_SMOKE_API_KEY=$key RM_COMPAT_BASE_URL=$BASE RM_COMPAT_API_KEY=$key
  export REFLECT_TEST_BASE_URL=$BASE REFLECT_TEST_API_KEY=$key REFLECT_TEST_WRITE=1
  for script in scripts/smoke-test-enterprise.mjs scripts/compat-check.mjs tests/live/live-smoke.test.mjs; do
    log=$WORK/$(basename "$script").log
    if "$NODE22" "$COMPAT_SOURCE/$script" >"$log" 2>&1; then
      echo "compat $script: ok"
    else
      cat "$log"
      echo "compat $script: failed"
      return 1
    fi
  done
}
