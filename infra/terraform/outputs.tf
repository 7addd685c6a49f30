output "address" {
  description = "Of the balancer: what the certificate's name has to point to"
  value       = aws_lb.this.dns_name
}

output "database_secret" {
  description = "Where the database's password is; RDS changes it by itself, and programs have to be started again then"
  value       = aws_db_instance.primary.master_user_secret[0].secret_arn
}
