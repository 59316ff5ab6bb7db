import type { AuditEntry } from '../../changes/audit/audit.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { shownText } from '../credentials/shown-text.ts';
import { type Exposure, MAX_SOURCE } from './exposure.ts';
import type { Leak } from './leak.ts';
import type { LeakRepository } from './leak-repository.ts';

/** The location of a credential, in the form that may be stored and shown. */
export type Place = Pick<Leak, 'source' | 'url'>;

const MAX_URL = 2_048;

/** Where a credential was seen. */
export function toPlace({ source, url }: Exposure): Place {
  const shown = url === undefined ? '' : shownText(url, MAX_URL);
  return { source: shownText(source, MAX_SOURCE), ...(shown === '' ? {} : { url: shown }) };
}

/** The URL of a place; '' for an unknown one. */
export function urlOf({ url = '' }: Place): string {
  return url;
}

/**
 * Records a leak for each source and location that was not reported before.
 * @returns the new leaks, and their audit entries
 */
export async function recordLeaks(
  repository: Pick<LeakRepository, 'insert'>,
  { accountId, environment, ...leaked }: Owner & Pick<Leak, 'credential' | 'redacted'>,
  places: readonly Place[],
  { action, by, now }: { action: Leak['action']; readonly by: AuditContext; readonly now: Date },
): Promise<{ readonly leaks: readonly Leak[]; readonly audit: readonly AuditEntry[] }> {
  const { credential, redacted } = leaked;
  const built = places.map(
    (place): Leak => ({
      id: newId('leak'),
      accountId,
      environment,
      version: 1,
      credential,
      redacted,
      ...place,
      action,
      status: 'open',
      created: now,
    }),
  );
  const leaks = await repository.insert(built);
  return { leaks, audit: leaks.map((leak) => reportEntry(leak, by, now)) };
}

function reportEntry(leak: Leak, by: AuditContext, now: Date): AuditEntry {
  const { id, accountId, environment, credential, redacted, source, action } = leak;
  return {
    ...by,
    accountId,
    environment,
    action: 'leak.report',
    target: id,
    after: {
      credential: credential.id,
      redacted,
      source,
      ...(leak.url === undefined ? {} : { url: leak.url }),
      action,
    },
    created: now,
  };
}
