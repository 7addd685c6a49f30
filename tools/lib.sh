# Shared by ./run, ./load, ./bench, ./test and others; sourced, with $root set to the repository's directory. Bash 3.2 (macOS) is enough.
# shellcheck shell=bash
: "${root:?}"

# The oldest JDK that builds and runs Confab; the same as java.version in pom.xml.
java_needed=25

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

is_mac() { [ "$(uname -s)" = Darwin ]; }

# --- Locale ------------------------------------------------------------------------------------------------------------

# One locale for every program: the JVM decodes arguments and file names with its character set, and awk and printf format
# numbers with it.
for locale in C.UTF-8 en_US.UTF-8; do
  if [ "$(LC_ALL=$locale locale charmap 2>/dev/null)" = UTF-8 ]; then
    export LC_ALL=$locale
    break
  fi
done
unset locale

# --- JDK ---------------------------------------------------------------------------------------------------------------

# Prints the major version of the JDK in directory $1; fails if there is no JDK (a compiler is needed, too).
jdk_major() {
  local version=""
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
  [ -r "$1/release" ] && version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  [ -n "$version" ] || version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  [ -n "$version" ] && printf '%s\n' "$version"
}

# Prints the directory of the JDK that the java on the PATH belongs to.
jdk_on_path() {
  local java
  java=$(command -v java) || return 1
  # Without a JDK, macOS's own /usr/bin/java opens a dialog.
  if is_mac && [ "$java" = /usr/bin/java ]; then
    /usr/libexec/java_home -F -v "$java_needed+" 2>/dev/null
    return
  fi
  "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
}

# Exports the JAVA_HOME of a JDK that is new enough, or fails and says where to get one.
find_jdk() {
  local home major too_old=""
  if [ -n "${CONFAB_JAVA_HOME:-}" ]; then
    major=$(jdk_major "$CONFAB_JAVA_HOME") || fail "CONFAB_JAVA_HOME is $CONFAB_JAVA_HOME, but there is no JDK."
    [ "$major" -ge "$java_needed" ] ||
      fail "CONFAB_JAVA_HOME is $CONFAB_JAVA_HOME, a JDK $major: Confab needs $java_needed or later."
    export JAVA_HOME=$CONFAB_JAVA_HOME
    return
  fi
  for home in "${JAVA_HOME:-}" "$(jdk_on_path || true)" /usr/lib/jvm/* /opt/java/* /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/*; do
    [ -n "$home" ] || continue
    major=$(jdk_major "$home") || continue
    if [ "$major" -ge "$java_needed" ]; then
      export JAVA_HOME=$home
      return
    fi
    too_old="$too_old
  $home is a JDK $major"
  done
  fail "Confab needs a JDK $java_needed or later, but found none in CONFAB_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm,
/Library/Java/JavaVirtualMachines, ~/.sdkman/candidates/java or ~/.jdks.$too_old
Get one from https://adoptium.net/temurin/releases/?version=$java_needed or from your package manager (macOS: brew install
openjdk; SDKMAN: sdk install java), or set CONFAB_JAVA_HOME to its directory."
}

# --- Processors --------------------------------------------------------------------------------------------------------

# Sets the scheduling policy SCHED_BATCH for this process and its children: a thread that wakes up does not preempt the
# running one (docs/adr/0026). Does nothing without Linux, chrt or permission.
take_turns() { chrt -a -b -p 0 $$ >/dev/null 2>&1 || true; }

# --- Open files --------------------------------------------------------------------------------------------------------

# Raises the limit on open files of this process and its children to the user's hard limit: each connection uses one file,
# in a proxy two. Warns if the limit is below $1, if given.
raise_open_files() {
  local limit
  # macOS reports "unlimited" as its hard limit, but rejects it.
  ulimit -Sn "$(ulimit -Hn)" 2>/dev/null || ulimit -Sn "$(sysctl -n kern.maxfilesperproc 2>/dev/null)" 2>/dev/null || true
  limit=$(ulimit -Sn)
  if [ "$limit" != unlimited ] && [ "$limit" -lt "${1:-0}" ]; then
    say "The limit on open files, sockets included, is $limit; Confab needs $1. Raise the hard limit (ulimit -Hn)."
  fi
}

# --- Building ----------------------------------------------------------------------------------------------------------

# Succeeds if a source of the programs is newer than file $1 in the repository, or if the file does not exist. Deleting a
# source changes the time of its directory.
sources_newer_than() {
  (
    cd "$root" || exit
    [ -e "$1" ] || exit 0
    [ -n "$({
      find pom.xml .mvn ./*/pom.xml -newer "$1" -print
      find ./*/src/main client-js/confab.* -newer "$1" -print
    } 2>/dev/null | head -n 1)" ]
  )
}

# Builds module $1 and its dependencies, unless its jar $2 is newer than the sources. Does not run tests.
build() {
  local module=$1 jar=$2 stamp log=$root/.confab/build.log
  stamp=$(dirname "$jar")/.sources
  if [ -e "$root/$jar" ]; then
    # The stamp has the time at which this script's build began; a manual build leaves only the jar.
    if ! sources_newer_than "$stamp" || ! sources_newer_than "$jar"; then
      return
    fi
    say "Building Confab again, as its sources have changed (log: .confab/build.log)"
  else
    say "Building Confab (the first time on a machine this downloads its libraries; log: .confab/build.log)"
  fi
  mkdir -p "$root/.confab"
  : >"$root/.confab/build.begin"
  if ! maven "$log" -pl "$module" -am package -Dmaven.test.skip=true -Dspotless.check.skip=true; then
    say "The build failed. The end of $log:"
    tail -n 40 "$log" >&2
    exit 1
  fi
  [ -e "$root/$jar" ] || fail "The build succeeded, but $jar does not exist."
  mv "$root/.confab/build.begin" "$root/$stamp"
}

# Runs Maven with the arguments after $1, writes its output to file $1, and shows its progress. Fails if Maven fails.
maven() {
  local log=$1
  shift
  (cd "$root" && ./mvnw --batch-mode "$@" 2>&1) | tee "$log" | maven_progress
  return "${PIPESTATUS[0]}"
}

# Shows each module when its build starts, and the number of downloaded files: on a terminal, in one line that changes.
maven_progress() {
  local line downloads=0 shown=0
  while IFS= read -r line; do
    case $line in
      '[INFO] Building '*'['*/*']')
        clear_line "$shown"
        shown=0
        line=${line#"[INFO] Building "}
        say "  [${line##*\[} ${line%% [0-9]*}"
        ;;
      '['*'] Tests run: '*' -- in '* | '[ERROR] Failures:'* | '[ERROR]   '*)
        clear_line "$shown"
        shown=0
        say "    ${line#*\] }"
        ;;
      *'Downloaded from '*)
        downloads=$((downloads + 1))
        if [ -t 2 ]; then
          printf '\r  %d files downloaded' "$downloads" >&2
          shown=1
        elif [ $((downloads % 200)) -eq 0 ]; then
          say "  $downloads files downloaded"
        fi
        ;;
    esac
  done
  clear_line "$shown"
}

clear_line() { [ "$1" -eq 0 ] || printf '\r\033[K' >&2; }

# --- Programs of the system ----------------------------------------------------------------------------------------------

have_rabbitmq() {
  local directory
  [ -z "${CONFAB_RABBITMQ_HOME:-}" ] || return 0 # set by the user: the program itself reports a wrong path
  for directory in /usr/lib/rabbitmq/bin /opt/rabbitmq/sbin /opt/homebrew/sbin /usr/local/sbin; do
    [ ! -x "$directory/rabbitmq-server" ] || return 0
  done
  command -v rabbitmq-server >/dev/null
}

# Prometheus comes with promtool, which tests the rules.
have_prometheus() {
  local directory
  [ -z "${CONFAB_PROMETHEUS_HOME:-}" ] || return 0 # set by the user: the tests themselves report a wrong path
  for directory in /usr/bin /usr/local/bin /opt/homebrew/bin; do
    [ ! -x "$directory/promtool" ] || return 0
  done
  return 1
}

# Succeeds if server $1 is installed. Debian installs servers into a directory that is not on an ordinary user's PATH.
have_server() {
  local directory
  for directory in /usr/sbin /usr/local/sbin /usr/local/bin /opt/homebrew/bin; do
    [ ! -x "$directory/$1" ] || return 0
  done
  command -v "$1" >/dev/null
}

have_haproxy() {
  [ -z "${CONFAB_HAPROXY:-}" ] || return 0 # set by the user: the program itself reports a wrong path
  have_server haproxy
}

have_nginx() { have_server nginx; }

# The server and its backup programs. The PostgreSQL that Confab starts comes as a library, without backup programs.
have_postgresql() (
  # shellcheck source=infra/backup/lib.sh
  . "$root/infra/backup/lib.sh"
  find_postgres 2>/dev/null
)

# Prints a PATH that begins with the directory of PostgreSQL's programs.
postgres_path() {
  (
    # shellcheck source=infra/backup/lib.sh
    . "$root/infra/backup/lib.sh"
    find_postgres
    printf '%s\n' "$PATH"
  )
}

# Prints the path of a Chromium or Chrome.
find_chromium() {
  local name
  if [ -n "${CHROMIUM:-}" ]; then
    [ -x "$CHROMIUM" ] || fail "CHROMIUM is $CHROMIUM, but there is no program."
    printf '%s\n' "$CHROMIUM"
    return
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" && return
  done
  for name in "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if [ -x "$name" ]; then
      printf '%s\n' "$name"
      return
    fi
  done
  return 1
}

# Installs a missing program with the system's package manager, and prints the command first.
#   $1 name of the program; $2 Debian packages; $3 arguments of brew install; $4 its web page
install_packages() {
  local what=$1 debian=$2 brew=$3 url=$4 log=$root/.confab/packages.log as_root=""
  local advice="Install it ($url), then run this again."
  [ "${CONFAB_INSTALL:-yes}" != no ] || fail "$what is missing, and CONFAB_INSTALL=no forbids installing it. $advice"
  mkdir -p "$root/.confab"
  if command -v apt-get >/dev/null; then
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo >/dev/null || fail "$what is missing, and installing it needs root: apt-get install $debian"
      as_root=sudo
    fi
    say "$what is missing: installing it with ${as_root:+sudo }apt-get install --no-install-recommends $debian (log: .confab/packages.log)"
    apt_install "$as_root" "$log" "$debian"
  elif is_mac && command -v brew >/dev/null; then
    say "$what is missing: installing it with brew install $brew (log: .confab/packages.log)"
    # shellcheck disable=SC2086 # several words: "--cask chromium"
    brew install $brew >"$log" 2>&1 || install_failed "$what" "$log" "$advice"
  else
    fail "$what is missing, and there is neither apt-get nor brew to install it. $advice"
  fi
}

# Installs Debian packages $3 as root, with $1 (sudo, or nothing), without starting their services: policy-rc.d prevents it
# now, and disabling the units prevents it at the next boot. A subshell, so that it has its own trap.
apt_install() (
  as_root=$1 log=$2 debian=$3 policy=/usr/sbin/policy-rc.d
  new_units=
  for unit in rabbitmq-server.service epmd.service epmd.socket haproxy.service nginx.service postgresql.service prometheus.service; do
    if [ ! -e "/lib/systemd/system/$unit" ]; then
      new_units="$new_units $unit"
    fi
  done
  if [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod 755 "$policy"
  fi
  # shellcheck disable=SC2086 # several packages
  if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends $debian; } >"$log" 2>&1; then
    install_failed "$debian" "$log" "See the log."
  fi
  if command -v systemctl >/dev/null; then
    for unit in $new_units; do
      $as_root systemctl --quiet disable "$unit" >>"$log" 2>&1 || true # not every package has every unit
    done
  fi
)

install_failed() {
  say "Installing $1 failed. The end of $2:"
  tail -n 20 "$2" >&2
  fail "$3"
}

install_rabbitmq() {
  install_packages RabbitMQ rabbitmq-server rabbitmq https://www.rabbitmq.com/docs/download
  have_rabbitmq || fail "RabbitMQ was installed, but there is no rabbitmq-server in the usual places: set CONFAB_RABBITMQ_HOME."
}

install_haproxy() {
  install_packages HAProxy haproxy haproxy https://www.haproxy.org
  have_haproxy || fail "HAProxy was installed, but there is no haproxy in the usual places: set CONFAB_HAPROXY to the program."
}

install_nginx() {
  install_packages nginx nginx nginx https://nginx.org
  have_nginx || fail "nginx was installed, but there is no nginx in the usual places."
}

install_prometheus() {
  install_packages Prometheus prometheus prometheus https://prometheus.io/download
  have_prometheus || fail "Prometheus was installed, but not in the usual places: set CONFAB_PROMETHEUS_HOME to its directory."
}

install_postgresql() {
  install_packages PostgreSQL postgresql postgresql@18 https://www.postgresql.org/download
  have_postgresql || fail "PostgreSQL was installed, but not in the usual places: set CONFAB_POSTGRES_HOME."
}
