# Starts and stops the platforms to measure. Sourced by the scripts in this directory after tools/lib.sh; needs Linux.
# shellcheck shell=bash
: "${root:?}"

# Deleted when the script ends, after the platforms in it are stopped.
work=$(mktemp -d "${TMPDIR:-/tmp}/confab-benchmark.XXXXXX")
# By platform: the process id of ./run, and those of its programs as NAME.servers, NAME.rabbitmq and NAME.consumer.
declare -A run pids
# By platform: its checkout, if it is not this one.
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

# pids_of PATTERN LINE: prints the process ids of the programs with this name in the "Pids" line of ./run.
pids_of() { { grep -o "$1 [0-9]*" <<<"$2" || true; } | cut -d' ' -f2 | paste -s -d ' ' -; }

# start NAME PORT SERVERS [VARIABLE=VALUE ...]: keeps data in $work/NAME; with 0 servers, runs one process and a log in memory.
start() {
  local name=$1 port=$2 count=$3 ready='^ *Pids ' line
  local -a how=(--servers "$count" --open)
  [ "$count" -gt 0 ] || how=() ready='^ *Data '
  shift 3
  : >"$work/$name.out"
  env "$@" "${root_of[$name]:-$root}/run" "${how[@]}" --port "$port" --dir "$work/$name" >"$work/$name.out" 2>&1 &
  run[$name]=$!
  until line=$(grep -m 1 "$ready" "$work/$name.out"); do
    kill -0 "${run[$name]}" 2>/dev/null || fail "Platform $name exited: $(tail -5 "$work/$name.out")"
    sleep 1
  done
  pids[$name.consumer]=$(pids_of consumer "$line")
  pids[$name.servers]=$(pids_of 'server-[0-9]*' "$line")
  pids[$name.rabbitmq]=$(pids_of rabbitmq "$line")
}

# Prints the metrics of the program on port $1, in Prometheus's format.
metrics() {
  exec 3<>"/dev/tcp/127.0.0.1/$(($1 + 1000))"
  printf 'GET /actuator/prometheus HTTP/1.0\r\n\r\n' >&3
  cat <&3
  exec 3<&-
}

# Prints the accepted messages per second of the last load, from its output $work/load.out.
rate() { sed -n 's/^rate .*  \([0-9,]*\) accepted.*/\1/p' "$work/load.out" | tr -d ,; }

median() { sort -n | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }
