import type { AuditAction, AuditEntry, AuditFacts } from '../../changes/audit/audit.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The audit row of a change of an endpoint.
 * @param before absent if the endpoint was created
 * @param after the endpoint as it is now
 * @returns nothing for calls without an audit row: merchants' own
 */
export function endpointAudit(
  { audit }: Call,
  change: {
    readonly action: AuditAction;
    readonly before?: Endpoint;
    readonly after: Endpoint;
    readonly at: Date;
  },
): { readonly audit?: AuditEntry } {
  if (audit === undefined) return {};
  const { action, before, after } = change;
  const { id: target, accountId, environment } = after;
  return {
    audit: {
      ...audit,
      accountId,
      environment,
      action,
      target,
      ...(before && { before: toFacts(before) }),
      ...(after.status === 'deleted' ? {} : { after: toFacts(after) }),
      created: change.at,
    },
  };
}

/** The query of a URL is left out: some receivers put a secret in it. */
function toFacts(endpoint: Endpoint): AuditFacts {
  const { origin, pathname } = new URL(endpoint.url);
  return {
    url: origin + pathname,
    enabled_events: endpoint.enabledEvents,
    description: endpoint.description,
    status: endpoint.status,
    secret_version: endpoint.secretVersion,
  };
}
