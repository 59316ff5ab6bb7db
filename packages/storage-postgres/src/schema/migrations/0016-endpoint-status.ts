import type { Migration } from './migration.ts';

export const endpointStatus: Migration = {
  name: '0016-endpoint-status',
  breaking: false,
  sql: (s) => `
ALTER TABLE ${s}.webhook_endpoints
  -- The end of the first failed attempt after a success or enabling.
  ADD COLUMN failing_since timestamptz,
  ADD COLUMN warning_queued_at timestamptz,
  ADD COLUMN final_warning_queued_at timestamptz,
  -- Deliveries must still be parked, canceled or resumed, which workers do in steps.
  ADD COLUMN status_changed boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_endpoints_failing ON ${s}.webhook_endpoints (failing_since)
  WHERE failing_since IS NOT NULL;
CREATE INDEX webhook_endpoints_status_changed ON ${s}.webhook_endpoints (id) WHERE status_changed;
-- What an endpoint missed while it was disabled.
CREATE INDEX deliveries_skipped ON ${s}.deliveries (endpoint_id, created)
  WHERE state = 'skipped';
`,
};
