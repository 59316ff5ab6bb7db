import type { Endpoint } from '../../api/resources.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

const REASONS = {
  manual: 'Disabled by a user',
  failing: 'Disabled: it failed for too long',
  gone: 'Disabled: it answered 410 Gone',
  access_ended: 'Disabled: access ended',
} as const;

/** Whether an endpoint works, in a word. */
export function EndpointHealth({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.status === 'disabled') {
    const reason = endpoint.disabled_reason;
    return <StatusBadge status="disabled" label={reason ? REASONS[reason] : 'Disabled'} />;
  }
  if (endpoint.failing_since !== null) return <StatusBadge status="failing" label="Failing" />;
  return <StatusBadge status="enabled" label="Enabled" />;
}
