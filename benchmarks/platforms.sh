# Platforms to measure: started, named, and stopped. Sourced by the scripts beside it after tools/lib.sh, Linux.
# shellcheck shell=bash
: "${root:?}"

# A directory that is gone when the script ends, with whatever runs in it.
work=$(mktemp -d "${TMPDIR:-/tmp}/confab-benchmark.XXXXXX")
# By platform: ./run itself, and its programs' process ids as NAME.servers, NAME.rabbitmq and NAME.consumer.
declare -A run pids
# By platform: its checkout, where that is another one.
declare -A root_of

stop_platforms() {
  local name
  for name in "${!run[@]}"; do
    [ -z "${pids[$name.consumer]:-}" ] || kill -CONT "${pids[$name.consumer]}" 2>/dev/null || true
    kill -TERM "${run[$name]}" 2>/dev/null || true
  done
  for name in "${!run[@]}"; do
    wait "${run[$name]}" 2>/dev/null || true
    unset "run[$name]"
  done
}
trap 'stop_platforms; rm -rf "$work"' EXIT

# Of the programs that are named so in the line of ./run that says all; nothing where there is none.
pids_of() { { grep -o "$1 [0-9]*" <<<"$2" || true; } | cut -d' ' -f2 | paste -s -d ' ' -; }

# start NAME PORT SERVERS [VARIABLE=VALUE ...]: its data is in $work/NAME; 0 servers: everything in one process, the log in memory.
start() {
  local name=$1 port=$2 count=$3 ready='^ *Pids ' line
  local -a how=(--servers "$count" --open)
  [ "$count" -gt 0 ] || how=() ready='^ *Data '
  shift 3
  : >"$work/$name.out"
  env "$@" "${root_of[$name]:-$root}/run" "${how[@]}" --port "$port" --dir "$work/$name" >"$work/$name.out" 2>&1 &
  run[$name]=$!
  until line=$(grep -m 1 "$ready" "$work/$name.out"); do
    kill -0 "${run[$name]}" 2>/dev/null || fail "Platform $name has ended: $(tail -5 "$work/$name.out")"
    sleep 1
  done
  pids[$name.consumer]=$(pids_of consumer "$line")
  pids[$name.servers]=$(pids_of 'server-[0-9]*' "$line")
  pids[$name.rabbitmq]=$(pids_of rabbitmq "$line")
}

# What the program says of itself whose own port is $1, in Prometheus's format.
metrics() {
  exec 3<>"/dev/tcp/127.0.0.1/$(($1 + 1000))"
  printf 'GET /actuator/prometheus HTTP/1.0\r\n\r\n' >&3
  cat <&3
  exec 3<&-
}

# Messages per second that the last load, whose output is $work/load.out, saw accepted.
rate() { sed -n 's/^rate .*  \([0-9,]*\) accepted.*/\1/p' "$work/load.out" | tr -d ,; }

median() { sort -n | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }
