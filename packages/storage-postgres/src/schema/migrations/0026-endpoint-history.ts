import type { Migration } from './migration.ts';

export const endpointHistory: Migration = {
  name: '0026-endpoint-history',
  breaking: false,
  sql: (s) => `
-- Secrets that have expired are kept, and any number may be: each claim reads only the others.
DROP INDEX ${s}.endpoint_secrets_of_endpoint;
CREATE INDEX endpoint_secrets_signing
  ON ${s}.endpoint_secrets (endpoint_id, (COALESCE(expires_at, 'infinity')));
-- Deleted endpoints are kept too: each event reads only the others of its account, and the health
-- counts only the others.
CREATE INDEX webhook_endpoints_in_use ON ${s}.webhook_endpoints (account_id, livemode, id)
  INCLUDE (status) WHERE status <> 'deleted';
`,
};
