# Three nodes on three machines in three zones: an entry is durable when two of them have it.
data "aws_ami" "debian" {
  most_recent = true
  owners      = ["136693071363"] # Debian
  filter {
    name   = "name"
    values = ["debian-13-arm64-*"]
  }
}

locals {
  # Fixed, so that a replaced node keeps its name, to which its data belongs.
  brokers = { for i, subnet in aws_subnet.private : "rabbit-${i + 1}" => {
    subnet  = subnet.id
    address = cidrhost(subnet.cidr_block, 31)
  } }
}

resource "aws_ebs_volume" "log" {
  count             = length(local.zones)
  availability_zone = local.zones[count.index]
  size              = var.log_gigabytes
  type              = "gp3"
  encrypted         = true
  tags              = { Name = "${var.name}-rabbit-${count.index + 1}" }
}

resource "aws_instance" "rabbitmq" {
  for_each               = local.brokers
  ami                    = data.aws_ami.debian.id
  instance_type          = var.rabbitmq_type
  subnet_id              = each.value.subnet
  private_ip             = each.value.address
  vpc_security_group_ids = [aws_security_group.this["rabbitmq"].id]
  user_data = templatefile("${path.module}/templates/rabbitmq.sh", {
    node     = each.key
    nodes    = { for name, broker in local.brokers : name => broker.address }
    cookie   = var.rabbitmq_cookie
    password = var.rabbitmq_password
  })
  metadata_options {
    http_tokens = "required"
  }
  root_block_device {
    encrypted = true
  }
  lifecycle {
    ignore_changes = [ami] # replace nodes manually, one after the other
  }
  tags = { Name = "${var.name}-${each.key}" }
}

resource "aws_volume_attachment" "log" {
  for_each    = local.brokers
  device_name = "/dev/sdf"
  volume_id   = aws_ebs_volume.log[index(keys(local.brokers), each.key)].id
  instance_id = aws_instance.rabbitmq[each.key].id
}
