output "address" {
  description = "DNS name of the load balancer; the certificate's name must point to it"
  value       = aws_lb.this.dns_name
}

output "database_secret" {
  description = "Secret with the database's password; RDS rotates it, and the programs must be restarted then"
  value       = aws_db_instance.primary.master_user_secret[0].secret_arn
}
