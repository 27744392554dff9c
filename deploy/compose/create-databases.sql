-- The image of PostgreSQL runs this when it has made an empty cluster: one role and database for each program, and two databases for
-- Temporal.
\set temporal_password `cat /run/secrets/temporal_database_password`
\set sendoff_password `cat /run/secrets/sendoff_database_password`
\set email_service_password `cat /run/secrets/email_service_database_password`

create role temporal login password :'temporal_password';
create role sendoff login password :'sendoff_password';
create role email_service login password :'email_service_password';

create database temporal owner temporal;
create database temporal_visibility owner temporal;
create database sendoff owner sendoff;
create database email_service owner email_service;

-- Otherwise each role could connect to every database.
revoke connect on database temporal, temporal_visibility, sendoff, email_service from public;
