#!/bin/bash
# Installs one of Confab's programs under systemd: jar and unit from the bucket, secrets from Secrets Manager.
set -euo pipefail
dnf install --assumeyes java-25-amazon-corretto-headless jq
mkdir -p /opt/confab /etc/confab
install -d -m 0700 /etc/confab/secrets
aws s3 cp "s3://${bucket}/${jar}" "/opt/confab/${jar}"
aws s3 cp "s3://${bucket}/${unit}" "/etc/systemd/system/${unit}"

# A secret is text, or a field of a JSON object.
secret() {
  aws secretsmanager get-secret-value --region "${region}" --secret-id "$1" --query SecretString --output text |
    { if [ "$2" = . ]; then tr -d '\n'; else jq --join-output "$2"; fi; }
}
umask 077
%{ for name, secret in secrets ~}
secret "${secret.id}" "${secret.filter}" > "/etc/confab/secrets/${name}"
%{ endfor ~}
umask 022
cat > "/etc/confab/${file}" <<'ENVIRONMENT'
%{ for name, value in environment ~}
${name}=${value}
%{ endfor ~}
ENVIRONMENT

systemctl daemon-reload
systemctl enable --now "${service}"
