#!/bin/sh
# Creates every secret of compose.yaml that does not exist yet, as a file of its own beside it. An existing secret stays.
set -eu
cd "$(dirname "$0")"
# Other users of this machine cannot open the folder. Its files are readable: each program runs as another user in its container.
mkdir -p secrets
chmod 700 secrets
for name in postgres_password temporal_database_password sendoff_database_password email_service_database_password \
  sendoff_secret_key sendoff_api_token operator_token email_service_encryption_key grafana_password; do
  file="secrets/$name"
  if [ -s "$file" ]; then
    echo "$file exists"
  else
    # 32 bytes in base64, as the keys need it. Renamed when complete, so that no half secret is left.
    head -c 32 /dev/urandom | base64 > "$file.new"
    chmod 444 "$file.new"
    mv "$file.new" "$file"
    echo "$file created"
  fi
done
