terraform {
  required_version = ">= 1.9"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
  # The state contains secrets: keep it in an encrypted bucket.
  # backend "s3" {}
}

provider "aws" {
  region = var.region
  default_tags {
    tags = { Project = "confab" }
  }
}
