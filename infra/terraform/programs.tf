data "aws_ssm_parameter" "amazon_linux" {
  name = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"
}

resource "aws_secretsmanager_secret" "rabbitmq_uri" {
  name = "${var.name}/CHAT_RABBITMQ_URI"
}

resource "aws_secretsmanager_secret_version" "rabbitmq_uri" {
  secret_id     = aws_secretsmanager_secret.rabbitmq_uri.id
  secret_string = "amqp://confab:${var.rabbitmq_password}@${aws_route53_record.rabbitmq.fqdn}:5672"
}

# One name for all nodes; a program that loses its node resolves the name again and connects to another.
resource "aws_route53_zone" "inner" {
  name = "${var.name}.internal"
  vpc {
    vpc_id = aws_vpc.this.id
  }
}

resource "aws_route53_record" "rabbitmq" {
  zone_id = aws_route53_zone.inner.zone_id
  name    = "rabbitmq"
  type    = "A"
  ttl     = 10
  records = [for broker in local.brokers : broker.address]
}

resource "aws_route53_record" "consumer" {
  zone_id = aws_route53_zone.inner.zone_id
  name    = "consumer"
  type    = "A"
  ttl     = 10
  records = [aws_instance.consumer.private_ip]
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

# Each program may read only its jar and unit, and the secrets that it needs.
locals {
  rabbitmq_secret = aws_secretsmanager_secret.rabbitmq_uri.arn
  database_secret = aws_db_instance.primary.master_user_secret[0].secret_arn
  secrets = {
    chat     = [local.rabbitmq_secret]
    consumer = [local.rabbitmq_secret, local.database_secret]
  }
}

data "aws_iam_policy_document" "program" {
  for_each = local.secrets
  statement {
    actions   = ["s3:GetObject"]
    resources = ["arn:aws:s3:::${var.artifacts_bucket}/*"]
  }
  statement {
    actions   = ["secretsmanager:GetSecretValue"]
    resources = each.value
  }
}

resource "aws_iam_role" "program" {
  for_each           = toset(["chat", "consumer"])
  name               = "${var.name}-${each.key}"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy" "program" {
  for_each = aws_iam_role.program
  role     = each.value.id
  policy   = data.aws_iam_policy_document.program[each.key].json
}

# For a shell without SSH.
resource "aws_iam_role_policy_attachment" "session_manager" {
  for_each   = aws_iam_role.program
  role       = each.value.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "program" {
  for_each = aws_iam_role.program
  name     = "${var.name}-${each.key}"
  role     = each.value.name
}

locals {
  common = {
    bucket = var.artifacts_bucket
    region = var.region
  }
}

resource "aws_launch_template" "chat" {
  name_prefix            = "${var.name}-chat-"
  image_id               = data.aws_ssm_parameter.amazon_linux.value
  instance_type          = var.chat_server_type
  vpc_security_group_ids = [aws_security_group.this["chat"].id]
  update_default_version = true
  iam_instance_profile {
    name = aws_iam_instance_profile.program["chat"].name
  }
  metadata_options {
    http_tokens = "required"
  }
  user_data = base64encode(templatefile("${path.module}/templates/program.sh", merge(local.common, {
    jar     = "chat-server.jar"
    unit    = "confab-chat-server@.service"
    service = "confab-chat-server@1.service"
    file    = "chat-server.env"
    secrets = { CHAT_RABBITMQ_URI = { id = local.rabbitmq_secret, filter = "." } }
    environment = merge({ CHAT_ALLOWED_HOSTS = "*" }, var.identity, { # no browser runs in this network
      CHAT_HISTORY_URL            = "http://${aws_route53_record.consumer.fqdn}:8090"
      CHAT_LOG_FORMAT             = "ecs"
      CHAT_SERVER_DRAIN_ANNOUNCE  = "35s" # the load balancer needs two failed checks, 15 s apart
      CHAT_SERVER_MAX_CONNECTIONS = "20000"
      CHAT_SERVER_TRUSTED_PROXIES = join(",", aws_subnet.public[*].cidr_block) # the load balancer's subnets
    })
  })))
}

resource "aws_autoscaling_group" "chat" {
  name                      = "${var.name}-chat"
  desired_capacity          = var.chat_servers
  min_size                  = var.chat_servers
  max_size                  = var.chat_servers + 1
  vpc_zone_identifier       = aws_subnet.private[*].id
  target_group_arns         = [aws_lb_target_group.chat.arn]
  health_check_type         = "ELB"
  health_check_grace_period = 240
  launch_template {
    id      = aws_launch_template.chat.id
    version = aws_launch_template.chat.latest_version
  }
  # A new version: one server at a time, a new one first.
  instance_refresh {
    strategy = "Rolling"
    preferences {
      min_healthy_percentage = 100
      max_healthy_percentage = 150
      instance_warmup        = 60
    }
  }
  tag {
    key                 = "Name"
    value               = "${var.name}-chat"
    propagate_at_launch = true
  }
}

resource "aws_instance" "consumer" {
  ami                         = data.aws_ssm_parameter.amazon_linux.value
  instance_type               = var.consumer_type
  subnet_id                   = aws_subnet.private[0].id
  vpc_security_group_ids      = [aws_security_group.this["consumer"].id]
  iam_instance_profile        = aws_iam_instance_profile.program["consumer"].name
  user_data_replace_on_change = true
  metadata_options {
    http_tokens = "required"
  }
  user_data = templatefile("${path.module}/templates/program.sh", merge(local.common, {
    jar     = "persistence-consumer.jar"
    unit    = "confab-consumer.service"
    service = "confab-consumer.service"
    file    = "consumer.env"
    secrets = {
      CHAT_RABBITMQ_URI      = { id = local.rabbitmq_secret, filter = "." }
      CHAT_POSTGRES_PASSWORD = { id = local.database_secret, filter = ".password" } # RDS stores JSON
    }
    environment = merge({ CHAT_ALLOWED_HOSTS = "*" }, var.identity, { # no browser runs in this network
      CHAT_LOG_FORMAT        = "ecs"
      CHAT_LOG_NODE          = "consumer-1"
      CHAT_POSTGRES_URL      = "jdbc:postgresql://${aws_db_instance.primary.address}:5432/confab?sslmode=require"
      CHAT_POSTGRES_READ_URL = "jdbc:postgresql://${aws_db_instance.replica.address}:5432/confab?sslmode=require"
      CHAT_POSTGRES_USER     = "confab"
    })
  }))
  lifecycle {
    ignore_changes = [ami]
  }
  tags = { Name = "${var.name}-consumer" }
}
