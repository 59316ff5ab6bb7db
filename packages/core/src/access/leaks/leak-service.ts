import type { RotatedSecrets } from '../../events/endpoints/rotate-secrets.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, LeakId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { type AdminScope, isInAdminScope } from '../../kernel/callers/admin-scope.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { AccessRows, AccessStore } from '../access-change.ts';
import { type Caller, hostActor } from '../caller.ts';
import { invalid } from '../checks.ts';
import {
  handleLeak,
  LEAK_POLICIES,
  type LeakOutcome,
  type LeakPolicy,
  type Rules,
} from './handle-leak.ts';
import type { Leak } from './leak.ts';
import { entryFor } from './leak-entry.ts';
import type { LeakReader } from './leak-repository.ts';
import { type RotateLeakedPorts, rotateLeaked } from './rotate-leaked.ts';
import {
  type AddressSighting,
  type Exposed,
  type LeakVerdict,
  MAX_SOURCE,
  SightedCredentials,
  type Sighting,
  strengthened,
} from './sighting.ts';

/** The source of what stood in addresses that we were asked for. */
export const ADDRESSES = 'url';

export interface LeakServicePorts extends RotateLeakedPorts {
  readonly access: AccessStore;
  readonly leaks: Pick<LeakReader, 'find'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `notify` leaves leaked keys at work. @defaultValue `revoke` */
  readonly policy?: LeakPolicy;
  /** Who is written to when an account has no address. */
  readonly operator?: string;
}

/** Credentials of ours that were seen where they must not be. */
export interface LeakService {
  /**
   * Takes a report: revokes secret and restricted keys (unless the policy is `notify`), records
   * each place, and writes to the owner, in one transaction. Signing secrets go on, as only their
   * owner can rotate them. The same report again changes nothing.
   * @param within what lies outside is none of ours @defaultValue everything
   * @returns a verdict for each sighting, in order
   * @throws `parameter_invalid` for a source that is no name, or is `url`
   */
  report(
    sightings: readonly Sighting[],
    caller?: Caller<readonly LeakVerdict[]>,
    within?: AdminScope,
  ): Promise<readonly LeakVerdict[]>;
  /** Sets a leak aside. Twice is harmless. @throws `resource_missing` */
  dismiss(id: LeakId, caller?: Caller<Leak>): Promise<Leak>;
  /** Endpoints of the account and environment whose signing secret is older than the leak. */
  endpointsToRotate(leak: Leak): Promise<readonly EndpointId[]>;
  /**
   * Rotates the signing secrets of all these endpoints, in one commit. One with as many secrets as
   * may sign at once is skipped; when they have ended, a second call takes it up.
   * @param overlap how long the old secrets sign too @defaultValue 86,400 seconds
   * @returns the new secrets, which are shown this once
   * @throws `resource_missing`, `sealing_keys_missing`, `lock_timeout` when endpoints are changed
   *   all the while
   */
  rotateSigningSecrets(
    id: LeakId,
    overlap?: { readonly overlapSeconds?: number },
    caller?: Caller<RotatedSecrets>,
  ): Promise<RotatedSecrets>;
}

/** Makes the service of one process. @throws TypeError for a policy that is none */
export function createLeakService(ports: LeakServicePorts): LeakService {
  if (ports.policy !== undefined && !LEAK_POLICIES.includes(ports.policy)) {
    throw new TypeError('The option `leakPolicy` is "revoke" (unless said) or "notify".');
  }
  return {
    async report(sightings, { by = hostActor(), answer } = {}, within) {
      for (const { source } of sightings) checkSource(source);
      const given = { ...(answer && { answer }), ...(within && { within }) };
      return take(ports, sightings, { by, seenByUsAlone: false, ...given });
    },
    dismiss: (id, caller) => dismiss(ports, id, caller),
    endpointsToRotate: (leak) => ports.endpointSecrets.endpointsOlderThan(leak, leak.created),
    rotateSigningSecrets: (id, overlap, caller) => rotate(ports, id, overlap, caller),
  };
}

const NOT_OURS: LeakVerdict = { matched: false, action: 'none' };

/**
 * Takes note of credentials that stood in addresses of requests to this API: their owner is told,
 * and they go on, as nobody is known to have read them.
 */
export async function reportAddresses(
  ports: LeakServicePorts,
  sightings: readonly AddressSighting[],
): Promise<void> {
  const sourced = sightings.map((sighting) => ({ ...sighting, source: ADDRESSES }));
  await take(ports, sourced, { by: OURSELVES, seenByUsAlone: true });
}

const OURSELVES: AuditContext = { actor: { type: 'system', id: 'paymount' }, via: 'request' };

interface Report extends Pick<Rules, 'seenByUsAlone' | 'by'> {
  readonly answer?: NonNullable<Caller<readonly LeakVerdict[]>['answer']>;
  readonly within?: AdminScope;
}

async function take(
  ports: LeakServicePorts,
  sightings: readonly Sighting[],
  { answer, within, ...from }: Report,
): Promise<readonly LeakVerdict[]> {
  const { access, clock, policy = 'revoke', operator } = ports;
  const sighted = new SightedCredentials(sightings);
  const { verdicts, outcomes } = await access.change(async (rows) => {
    const rules: Rules = { policy, ...from, now: clock.now(), ...(operator && { operator }) };
    const outcomes: LeakOutcome[] = [];
    const verdicts = sightings.map(() => NOT_OURS);
    for (const { hash, ...exposed } of await findExposed(rows, sighted)) {
      if (within !== undefined && !isInAdminScope(within, exposed)) continue;
      const indexes = sighted.indexesOf(hash);
      const seen = indexes.flatMap((index) => sightings[index] ?? []);
      const outcome = await handleLeak(rows, exposed, seen, rules);
      outcomes.push(outcome);
      for (const index of indexes) {
        verdicts[index] = strengthened(verdicts[index] ?? NOT_OURS, outcome.action);
      }
    }
    return {
      result: { verdicts, outcomes },
      subjects: outcomes.flatMap(({ subjects }) => subjects),
      audit: outcomes.flatMap(({ audit }) => audit),
      mails: outcomes.flatMap(({ mails }) => mails),
      ...(answer && { answer: await answer(verdicts) }),
    };
  });
  for (const outcome of outcomes) log(ports.logger, outcome);
  return verdicts;
}

function checkSource(source: string): void {
  if (source.length < 1 || source.length > MAX_SOURCE) {
    throw invalid('source', `A source is a name of 1 to ${MAX_SOURCE} characters.`);
  }
  if (source === ADDRESSES) {
    throw invalid('source', `The source ${ADDRESSES} is kept for addresses of this API.`);
  }
}

/** One query for each table; in the order of their ids, as every report locks keys. */
async function findExposed(
  rows: AccessRows,
  sighted: SightedCredentials,
): Promise<readonly (Exposed & { readonly hash: Uint8Array })[]> {
  const [keyHashes, secretHashes] = [sighted.hashes('key'), sighted.hashes('signing_secret')];
  const keys = keyHashes.length === 0 ? [] : await rows.keys.findByHashesForUpdate(keyHashes);
  const secrets =
    secretHashes.length === 0 ? [] : await rows.endpointSecrets.findByHashes(secretHashes);
  return [
    ...keys.map((key) => ({ ...ownerAndHash(key), kind: 'key' as const, key })),
    ...secrets.map((secret) => ({
      ...ownerAndHash(secret),
      kind: 'signing_secret' as const,
      secret,
    })),
  ];

  function ownerAndHash({ accountId, environment, hash }: Owner & { hash: Uint8Array }) {
    return { accountId, environment, hash, redacted: sighted.redactedOf(hash) };
  }
}

function log(logger: Logger, { leaks, mails, unmailable }: LeakOutcome): void {
  for (const { id, accountId, environment, redacted, source, action } of leaks) {
    logger.warn(
      { leak: id, account: accountId, environment, redacted, source, action, mails: mails.length },
      'A credential leaked.',
    );
  }
  if (unmailable === undefined) return;
  const { accountId: account, redacted } = unmailable;
  logger.error({ account, redacted }, 'No mail about a leak can be sent: the address is none.');
}

function dismiss(
  { access, clock }: LeakServicePorts,
  id: LeakId,
  { by = hostActor(), answer }: Caller<Leak> = {},
): Promise<Leak> {
  return access.change(async ({ leaks }) => {
    const before = await leaks.findForUpdate(id);
    if (before === undefined) throw missing('leak', id);
    const now = clock.now();
    const leak: Leak =
      before.status === 'dismissed'
        ? before
        : { ...before, version: before.version + 1, status: 'dismissed', dismissedAt: now };
    if (leak !== before) await leaks.update(leak);
    const facts = { before: { status: before.status }, after: { status: leak.status } };
    const entry = { ...entryFor(leak, by, now), action: 'leak.dismiss' as const, ...facts };
    return {
      result: leak,
      subjects: [],
      audit: leak === before ? [] : [entry],
      ...(answer && { answer: await answer(leak) }),
    };
  });
}

async function rotate(
  ports: LeakServicePorts,
  id: LeakId,
  overlap: { readonly overlapSeconds?: number } = {},
  caller?: Caller<RotatedSecrets>,
): Promise<RotatedSecrets> {
  const leak = await ports.leaks.find(id);
  if (leak === undefined) throw missing('leak', id);
  return rotateLeaked(ports, { leak, ...overlap }, caller);
}
