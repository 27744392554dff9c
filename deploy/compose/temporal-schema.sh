#!/bin/sh
# Creates or upgrades the schemas of Temporal's two databases, and changes nothing where they are up to date.
set -eu
SQL_PASSWORD="$(cat /run/secrets/temporal_database_password)"
export SQL_PASSWORD

apply() {
  tool="temporal-sql-tool --plugin postgres12_pgx --endpoint postgres --port 5432 --user temporal --database $1"
  $tool setup-schema --version 0.0
  $tool update-schema --schema-name "$2"
}
apply temporal postgresql/v12/temporal
apply temporal_visibility postgresql/v12/visibility
