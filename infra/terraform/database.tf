resource "aws_db_subnet_group" "this" {
  name       = var.name
  subnet_ids = aws_subnet.private[*].id
}

resource "aws_db_instance" "primary" {
  identifier                   = var.name
  engine                       = "postgres"
  engine_version               = "18"
  instance_class               = var.database_class
  db_name                      = "confab"
  username                     = "confab"
  manage_master_user_password  = true
  allocated_storage            = var.database_gigabytes
  max_allocated_storage        = 10 * var.database_gigabytes
  storage_type                 = "gp3"
  storage_encrypted            = true
  multi_az                     = true
  db_subnet_group_name         = aws_db_subnet_group.this.name
  vpc_security_group_ids       = [aws_security_group.this["database"].id]
  backup_retention_period      = 7
  backup_window                = "03:00-04:00"
  maintenance_window           = "sun:04:30-sun:05:30"
  performance_insights_enabled = true
  deletion_protection          = true
  skip_final_snapshot          = false
  final_snapshot_identifier    = "${var.name}-last"
}

# The replica, which serves history and analytics.
resource "aws_db_instance" "replica" {
  identifier             = "${var.name}-replica"
  replicate_source_db    = aws_db_instance.primary.identifier
  instance_class         = var.database_class
  storage_encrypted      = true
  vpc_security_group_ids = [aws_security_group.this["database"].id]
  skip_final_snapshot    = true
}
