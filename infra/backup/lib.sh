# Sourced by the scripts in this directory. Needs nothing else from the repository, so the directory can be copied to the
# database's machine. Works with Bash 3.2 (macOS).
# shellcheck shell=bash

# Backups contain all messages: only this user may read them.
umask 077

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Puts PostgreSQL's programs first on the PATH: they must have the server's major version.
find_postgres() {
  local directory
  if [ -n "${CONFAB_POSTGRES_HOME:-}" ]; then
    has_postgres "$CONFAB_POSTGRES_HOME/bin" ||
      fail "CONFAB_POSTGRES_HOME is $CONFAB_POSTGRES_HOME, and bin/ there lacks one of: $postgres_programs"
    PATH=$CONFAB_POSTGRES_HOME/bin:$PATH
    return
  fi
  # Debian's versions, highest first.
  for directory in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t / -k 5 -r -n) /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin "$(dirname "$(command -v pg_basebackup || true)")"; do
    if has_postgres "$directory"; then
      PATH=$directory:$PATH
      return
    fi
  done
  fail "PostgreSQL's programs are not on this machine ($postgres_programs): install them
(Debian: apt-get install postgresql; macOS: brew install postgresql), or set CONFAB_POSTGRES_HOME to the directory above
their bin/."
}

postgres_programs='initdb pg_basebackup pg_ctl pg_isready pg_verifybackup pg_waldump psql'

has_postgres() {
  local program
  for program in $postgres_programs; do
    [ -x "$1/$program" ] || return 1
  done
}

# Runs SQL in the database that PGHOST, PGPORT, PGDATABASE, PGUSER and so on name.
sql() { psql --no-psqlrc --no-password --tuples-only --no-align --quiet --set ON_ERROR_STOP=1 "$@"; }

# Sets $repository to the absolute path of directory $1.
use_repository() {
  [ -n "$1" ] || fail "Give the directory of the backups: --repository DIRECTORY"
  [ -d "$1" ] || fail "Directory $1 does not exist."
  repository=$(cd "$1" && pwd -P)
  check_path "the repository" "$repository"
}

# Checks path $2 of $1, which becomes part of PostgreSQL's settings and of shell commands in them.
check_path() {
  case $2 in
    *[\'\\]* | *$'\n'*) fail "The path of $1 must not contain quotes, backslashes or line breaks: $2" ;;
  esac
}

# Prints a checked path, quoted as a word of a command inside a quoted setting of PostgreSQL.
word() { printf '%s' "''${1//%/%%}''"; }

# Prints the names of complete base backups, oldest first. A name is the time, in UTC, from which the backup is consistent.
base_backups() {
  find "$repository/base" -mindepth 1 -maxdepth 1 -name '[0-9]*Z' 2>/dev/null | sed 's|.*/||' | LC_ALL=C sort
}
