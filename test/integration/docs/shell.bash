# The shell in which a person follows a document. BASH_ENV loads it before the session, so it stands for what the
# terminal has beyond the commands: a server that runs, and somebody who answers questions.
# Given by docs.sh: FILE, DIR, PORT, NODE, RUNNER.

set -euo pipefail
unset BASH_ENV

# failed LINE names the line of the document, also from a function below, and shows what was printed for a comparison.
failed() {
  local line=$1
  [ ${#FUNCNAME[@]} -gt 2 ] && line=${BASH_LINENO[-2]}
  [ ! -s "$DIR/printed" ] || cat "$DIR/printed"
  echo "FAIL: $FILE:$line"
}
set -E
trap 'failed $LINENO >&2' ERR

server=
# serve starts the server, instead of the one that runs.
serve() {
  stop
  command loci serve "$@" >"$DIR/serve.log" 2>&1 &
  server=$!
  local start=$SECONDS
  until command curl -s -o /dev/null "http://127.0.0.1:$PORT/health"; do
    if [ $((SECONDS - start)) -ge 20 ] || ! kill -0 "$server" 2>/dev/null; then
      echo "loci serve does not answer:"
      cat "$DIR/serve.log"
      return 1
    fi
    sleep 0.1
  done
}

stop() {
  if [ -n "$server" ]; then
    kill "$server" && wait "$server" || true
    server=
  fi
}
trap stop EXIT

# loci fails the session if a command fails, also on the left of a && or a pipe, where bash goes on.
loci() { person "$@" || missed "loci $*"; }

missed() {
  echo "FAIL: $FILE:${BASH_LINENO[1]}: $1" >>"$DIR/missed"
  return 1
}

# person answers the questions that commands ask in a terminal with yes.
person() {
  case "$1 ${2:-}" in
    'serve '*) serve "${@:2}" ;;
    'connect ' | 'disconnect ') command loci "$1" --all --yes ;;
    'connect '* | 'disconnect '* | 'org delete') command loci "$@" --yes ;;
    'backup restore') restore "$@" ;;
    *) command loci "$@" ;;
  esac
}

# restore stops the server for a restore in place.
restore() {
  case " $* " in
    *' --to '*) command loci "$@" ;;
    *)
      stop
      command loci "$@" --yes
      serve
      ;;
  esac
}

# go runs the binary under test where a document builds it from the source.
go() {
  case "$*" in
    'run ./cmd/loci '*) loci "${@:3}" ;;
    'install '*./cmd/loci) command loci version >/dev/null ;;
    *)
      echo "go $* is not run here; mark it"
      return 1
      ;;
  esac
}

# curl fails if the status is not the one that the document shows, or without one, if it is an error. A stream (-N) ends
# after its first event.
curl() {
  local want=${STATUS:-[23]??} got headers
  headers=$(mktemp "$DIR/headers.XXXXXX")
  if [ "$1" = -N ]; then
    command curl -sS -D "$headers" "$@" >"$DIR/stream" &
    local stream=$! start=$SECONDS
    until grep -q '^data:' "$DIR/stream" || [ $((SECONDS - start)) -ge 20 ]; do sleep 0.1; done
    kill "$stream"
  else
    command curl -D "$headers" "$@"
  fi
  got=$(sed -n 's/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$headers" | tail -1)
  # shellcheck disable=SC2053 # the wanted status is a pattern
  [[ $got == $want ]] || missed "the status is $got${STATUS:+, not $STATUS}"
}

# shown LINE compares what the last command printed with what the document shows from that line on.
shown() {
  "$NODE" "$RUNNER" --compare "$DIR/shown.$1" "$DIR/printed"
  : >"$DIR/printed"
}

serve
