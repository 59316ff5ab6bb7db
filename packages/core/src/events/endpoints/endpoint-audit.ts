import { createHash } from 'node:crypto';
import type { AuditAction, AuditEntry, AuditFacts } from '../../changes/audit/audit.ts';
import { auditContextFor } from '../../kernel/callers/call.ts';
import { toMakerResource } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The audit row of a change of an endpoint.
 * @param before absent if the endpoint was created
 * @param after the endpoint as it is now
 */
export function endpointAudit(
  call: Call,
  change: {
    readonly action: AuditAction;
    readonly before?: Endpoint;
    readonly after: Endpoint;
    readonly at: Date;
  },
): { readonly audit: AuditEntry } {
  const { action, before, after } = change;
  const { id: target, accountId, environment } = after;
  return {
    audit: {
      ...auditContextFor(call),
      accountId,
      environment,
      action,
      target,
      ...(before && { before: endpointFacts(before) }),
      ...(after.status === 'deleted' ? {} : { after: endpointFacts(after) }),
      created: change.at,
    },
  };
}

/**
 * The fields of an endpoint in audit rows. The query of its URL is left out: some receivers put a
 * secret in it. The beginning of a hash shows that it changed.
 */
export function endpointFacts(endpoint: Endpoint): AuditFacts {
  const { origin, pathname } = new URL(endpoint.url);
  return {
    url: origin + pathname,
    url_hash: createHash('sha256').update(endpoint.url).digest('hex').slice(0, 12),
    url_set_by: toMakerResource(endpoint.urlSetBy),
    enabled_events: endpoint.enabledEvents,
    description: endpoint.description,
    status: endpoint.status,
    secret_version: endpoint.secretVersion,
  };
}
