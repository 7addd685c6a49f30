#!/bin/bash
# One of Confab's programs under systemd: its jar and unit from the bucket, its secrets from Secrets Manager.
set -euo pipefail
dnf install --assumeyes java-25-amazon-corretto-headless jq
mkdir -p /opt/confab /etc/confab
mkdir -p -m 0700 /etc/confab/secrets
aws s3 cp "s3://${bucket}/${jar}" "/opt/confab/${jar}"
aws s3 cp "s3://${bucket}/${unit}" "/etc/systemd/system/${unit}"

secret() { aws secretsmanager get-secret-value --region "${region}" --secret-id "$1" --query SecretString --output text; }
umask 077
secret "${rabbitmq_secret}" | tr -d '\n' > /etc/confab/secrets/CHAT_RABBITMQ_URI
secret "${database_secret}" | jq --join-output .password > /etc/confab/secrets/CHAT_POSTGRES_PASSWORD
umask 022
cat > "/etc/confab/${file}" <<'ENVIRONMENT'
%{ for name, value in environment ~}
${name}=${value}
%{ endfor ~}
ENVIRONMENT

systemctl daemon-reload
systemctl enable --now "${service}"
