#!/usr/bin/env bash
# Creates the passwords of compose.yml in infra/compose/secrets; keeps existing ones.
set -euo pipefail
case ${1:-} in
  --help | -h)
    echo "Usage: infra/compose/secrets.sh: creates the passwords of compose.yml in infra/compose/secrets; keeps existing ones"
    exit 0
    ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p -m 0700 secrets
cd secrets
umask 077

password() { od -An -N18 -tx1 /dev/urandom | tr -d ' \n'; }

# Readable by all users, in a directory that only the owner may enter: containers read the files as other users.
write() {
  printf '%s' "$2" >"$1"
  chmod 0444 "$1"
}

if [ ! -e CHAT_RABBITMQ_URI ]; then
  rabbitmq=$(password)
  write rabbitmq.conf "default_user = confab
default_pass = $rabbitmq
"
  write CHAT_RABBITMQ_URI "amqp://confab:$rabbitmq@rabbitmq:5672"
fi
[ -e CHAT_POSTGRES_PASSWORD ] || write CHAT_POSTGRES_PASSWORD "$(password)"
[ -e grafana-password ] || write grafana-password "$(password)"
printf 'Grafana: user admin, password %s\n' "$(cat grafana-password)"
