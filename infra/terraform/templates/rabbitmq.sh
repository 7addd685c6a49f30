#!/bin/bash
# Installs a node of the broker: data on its own volume, the other nodes found by name.
set -euo pipefail
%{ for name, address in nodes ~}
echo "${address} ${name}" >> /etc/hosts
%{ endfor ~}
hostnamectl set-hostname "${node}"

until [ -e /dev/nvme1n1 ]; do sleep 1; done
blkid /dev/nvme1n1 || mkfs.ext4 -q /dev/nvme1n1
mkdir -p /var/lib/rabbitmq
echo '/dev/nvme1n1 /var/lib/rabbitmq ext4 noatime 0 2' >> /etc/fstab
mount /var/lib/rabbitmq

mkdir -p /etc/rabbitmq
cat > /etc/rabbitmq/rabbitmq.conf <<'CONF'
default_user = confab
default_pass = ${password}
cluster_formation.peer_discovery_backend = classic_config
%{ for index, name in keys(nodes) ~}
cluster_formation.classic_config.nodes.${index + 1} = rabbit@${name}
%{ endfor ~}
cluster_partition_handling = pause_minority
disk_free_limit.absolute = 2GB
CONF
echo '[rabbitmq_prometheus].' > /etc/rabbitmq/enabled_plugins
umask 077
printf '%s' '${cookie}' > /var/lib/rabbitmq/.erlang.cookie
umask 022

apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends rabbitmq-server
chown -R rabbitmq:rabbitmq /var/lib/rabbitmq
systemctl restart rabbitmq-server
rabbitmqctl await_startup
rabbitmqctl set_policy --apply-to queues chat-log '^chat\.log\.' \
  '{"max-age":"24h","max-length-bytes":4000000000,"stream-max-segment-size-bytes":100000000}'
