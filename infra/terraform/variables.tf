variable "region" {
  description = "AWS region"
  type        = string
  default     = "us-west-2"
}

variable "name" {
  description = "Prefix of all names"
  type        = string
  default     = "confab"
}

variable "artifacts_bucket" {
  description = "S3 bucket with chat-server.jar, persistence-consumer.jar and the units of infra/systemd"
  type        = string
}

variable "certificate_arn" {
  description = "ACM certificate for the load balancer's name"
  type        = string
}

variable "identity" {
  description = "Environment variables for authentication: CHAT_IDENTITY and those of docs/guide/identity.md; chat servers read their own token from CHAT_HISTORY_TOKEN_FILE"
  type        = map(string)
  validation {
    condition     = contains(["token", "open"], lookup(var.identity, "CHAT_IDENTITY", ""))
    error_message = "CHAT_IDENTITY must be token or open."
  }
}

variable "rabbitmq_password" {
  description = "Password of the user confab in RabbitMQ; letters and digits"
  type        = string
  sensitive   = true
  validation {
    condition     = can(regex("^[A-Za-z0-9]{20,}$", var.rabbitmq_password))
    error_message = "At least 20 letters and digits."
  }
}

variable "rabbitmq_cookie" {
  description = "Erlang cookie shared by the broker's nodes; letters and digits"
  type        = string
  sensitive   = true
}

variable "chat_servers" {
  description = "Number of chat servers; not scaled by CPU, because removing a server makes its clients reconnect"
  type        = number
  default     = 2
}

variable "chat_server_type" {
  description = "Instance type of chat servers"
  type        = string
  default     = "m7g.large"
}

variable "consumer_type" {
  description = "Instance type of the consumers"
  type        = string
  default     = "m7g.large"
}

variable "rabbitmq_type" {
  description = "Instance type of the broker's three nodes"
  type        = string
  default     = "m7g.large"
}

variable "database_class" {
  description = "RDS instance class"
  type        = string
  default     = "db.m7g.large"
}

variable "log_gigabytes" {
  description = "Disk of each broker node: 4 GB for each partition and a reserve"
  type        = number
  default     = 50
}

variable "database_gigabytes" {
  description = "Initial disk of the database; it grows automatically up to ten times that"
  type        = number
  default     = 100
}
