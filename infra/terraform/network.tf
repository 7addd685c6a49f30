data "aws_availability_zones" "here" {
  state = "available"
}

locals {
  zones = slice(data.aws_availability_zones.here.names, 0, 3)
}

resource "aws_vpc" "this" {
  cidr_block           = "10.40.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = var.name }
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id
}

resource "aws_subnet" "public" {
  count             = length(local.zones)
  vpc_id            = aws_vpc.this.id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(aws_vpc.this.cidr_block, 8, count.index)
  tags              = { Name = "${var.name}-public-${count.index}" }
}

resource "aws_subnet" "private" {
  count             = length(local.zones)
  vpc_id            = aws_vpc.this.id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(aws_vpc.this.cidr_block, 8, 10 + count.index)
  tags              = { Name = "${var.name}-private-${count.index}" }
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.this.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.this.id
  }
}

resource "aws_route_table_association" "public" {
  count          = length(local.zones)
  subnet_id      = aws_subnet.public[count.index].id
  route_table_id = aws_route_table.public.id
}

resource "aws_eip" "nat" {
  domain = "vpc"
}

# Used only to install packages when a machine starts, so one is enough.
resource "aws_nat_gateway" "this" {
  allocation_id = aws_eip.nat.id
  subnet_id     = aws_subnet.public[0].id
}

resource "aws_route_table" "private" {
  vpc_id = aws_vpc.this.id
  route {
    cidr_block     = "0.0.0.0/0"
    nat_gateway_id = aws_nat_gateway.this.id
  }
}

resource "aws_route_table_association" "private" {
  count          = length(local.zones)
  subnet_id      = aws_subnet.private[count.index].id
  route_table_id = aws_route_table.private.id
}

locals {
  groups = {
    balancer = "From everywhere"
    chat     = "Chat servers"
    consumer = "Consumers"
    rabbitmq = "RabbitMQ"
    database = "PostgreSQL"
  }
  # Allowed connections: from, to, port.
  ways = {
    sockets    = { from = "balancer", to = "chat", port = 8080 }
    history    = { from = "chat", to = "consumer", port = 8090 }
    chat_log   = { from = "chat", to = "rabbitmq", port = 5672 }
    stored_log = { from = "consumer", to = "rabbitmq", port = 5672 }
    rows       = { from = "consumer", to = "database", port = 5432 }
    epmd       = { from = "rabbitmq", to = "rabbitmq", port = 4369 }
    cluster    = { from = "rabbitmq", to = "rabbitmq", port = 25672 }
  }
}

resource "aws_security_group" "this" {
  for_each    = local.groups
  name        = "${var.name}-${each.key}"
  description = each.value
  vpc_id      = aws_vpc.this.id
}

resource "aws_vpc_security_group_ingress_rule" "this" {
  for_each                     = local.ways
  security_group_id            = aws_security_group.this[each.value.to].id
  referenced_security_group_id = aws_security_group.this[each.value.from].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_ingress_rule" "https" {
  security_group_id = aws_security_group.this["balancer"].id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

resource "aws_vpc_security_group_egress_rule" "all" {
  for_each          = local.groups
  security_group_id = aws_security_group.this[each.key].id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}
