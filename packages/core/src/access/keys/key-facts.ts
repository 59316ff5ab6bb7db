import type { AuditFacts } from '../../changes/audit/audit.ts';
import type { Key } from './key.ts';

/** The fields of a key that an audit row shows. */
export function keyFacts(key: Key): AuditFacts {
  return {
    type: key.type,
    name: key.name,
    redacted: key.redacted,
    status: key.status,
    ...(key.scopes && { scopes: key.scopes }),
    ...(key.allowedIps && { allowed_ips: key.allowedIps }),
    ...(key.expiresAt && { expires_at: key.expiresAt.toISOString() }),
    ...(key.revokedReason && { revoked_reason: key.revokedReason }),
    ...(key.replaces && { replaces: key.replaces }),
    ...(key.replacedBy && { replaced_by: key.replacedBy }),
  };
}
