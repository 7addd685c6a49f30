resource "aws_lb" "this" {
  name               = var.name
  load_balancer_type = "application"
  subnets            = aws_subnet.public[*].id
  security_groups    = [aws_security_group.this["balancer"].id]
  # Must exceed the servers' ping interval of 25 s; otherwise the load balancer closes connections without messages.
  idle_timeout               = 120
  drop_invalid_header_fields = true
}

resource "aws_lb_target_group" "chat" {
  name        = "${var.name}-chat"
  vpc_id      = aws_vpc.this.id
  port        = 8080
  protocol    = "HTTP"
  target_type = "instance"
  # Every server can serve every room, so no stickiness. Selects the server with the fewest open requests, which are
  # connections.
  load_balancing_algorithm_type = "least_outstanding_requests"
  # The server itself closes its connections when it drains.
  deregistration_delay = 30
  health_check {
    path    = "/health"
    matcher = "200"
    # A stopping server announces this for 35 s, in which two checks must fail.
    interval            = 15
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.this.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  certificate_arn   = var.certificate_arn
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.chat.arn
  }
}
