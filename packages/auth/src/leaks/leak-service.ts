import {
  type AccessRows,
  type AccessStore,
  type AuditContext,
  type Call,
  type Clock,
  type EndpointId,
  type EndpointSecretReader,
  type Leak,
  type LeakId,
  type LeakReader,
  type Logger,
  missing,
  newId,
  type Owner,
  type Principal,
  type RotatedSecrets,
  type SecretsRotation,
} from '@paymount/core';
import { type Caller, hostActor } from '../keys/caller.ts';
import { invalid } from '../keys/checks.ts';
import { type JudgedLeak, judgeLeak, type LeakPolicy, type Rules } from './judge-leak.ts';
import { type Exposed, type LeakVerdict, SightedCredentials, type Sighting } from './sighting.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;
const MAX_SOURCE = 100;

export interface LeakServicePorts {
  readonly access: AccessStore;
  readonly leaks: Pick<LeakReader, 'find'>;
  readonly endpointSecrets: EndpointSecretReader;
  /** As core's `rotateSecrets`, with its ports. */
  readonly rotateSecrets: (call: Call, rotation: SecretsRotation) => Promise<RotatedSecrets>;
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
   * Takes a report: revokes secret and restricted keys (unless the policy is `notify`, or the
   * source is `url`), records each place, and writes to the owner, in one transaction. Signing
   * secrets go on, as only their owner can rotate them. The same report again changes nothing.
   * @returns a verdict for each sighting, in order
   * @throws `parameter_invalid` for a source that is no name
   */
  report(
    sightings: readonly Sighting[],
    caller?: Caller<readonly LeakVerdict[]>,
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

/** Makes the service of one process. */
export function createLeakService(ports: LeakServicePorts): LeakService {
  return {
    report: (sightings, caller) => report(ports, sightings, caller),
    dismiss: (id, caller) => dismiss(ports, id, caller),
    endpointsToRotate: (leak) => ports.endpointSecrets.endpointsOlderThan(leak, leak.created),
    rotateSigningSecrets: (id, overlap, caller) => rotateAll(ports, id, overlap, caller),
  };
}

const NOT_OURS: LeakVerdict = { matched: false, action: 'none' };

async function report(
  ports: LeakServicePorts,
  sightings: readonly Sighting[],
  { by = hostActor(), answer }: Caller<readonly LeakVerdict[]> = {},
): Promise<readonly LeakVerdict[]> {
  for (const { source } of sightings) checkSource(source);
  const { access, clock, policy = 'revoke', operator } = ports;
  const sighted = new SightedCredentials(sightings);
  const { verdicts, judged } = await access.change(async (rows) => {
    const rules: Rules = { policy, by, now: clock.now(), ...(operator && { operator }) };
    const judged: JudgedLeak[] = [];
    const verdicts = sightings.map(() => NOT_OURS);
    for (const { hash, ...exposed } of await findExposed(rows, sighted)) {
      const indexes = sighted.indexesOf(hash);
      const seen = indexes.flatMap((index) => sightings[index] ?? []);
      const outcome = await judgeLeak(rows, exposed, seen, rules);
      judged.push(outcome);
      for (const index of indexes) verdicts[index] = { matched: true, action: outcome.action };
    }
    return {
      result: { verdicts, judged },
      subjects: judged.flatMap(({ subjects }) => subjects),
      audit: judged.flatMap(({ audit }) => audit),
      mails: judged.flatMap(({ mails }) => mails),
      ...(answer && { answer: await answer(verdicts) }),
    };
  });
  for (const outcome of judged) log(ports.logger, outcome);
  return verdicts;
}

function checkSource(source: string): void {
  if (source.length >= 1 && source.length <= MAX_SOURCE) return;
  throw invalid('source', `A source is a name of 1 to ${MAX_SOURCE} characters.`);
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

function log(logger: Logger, { leaks, mails }: JudgedLeak): void {
  for (const { id, accountId, environment, redacted, source, action } of leaks) {
    logger.warn(
      { leak: id, account: accountId, environment, redacted, source, action, mails: mails.length },
      'A credential leaked.',
    );
  }
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

async function rotateAll(
  { leaks, rotateSecrets, endpointSecrets }: LeakServicePorts,
  id: LeakId,
  { overlapSeconds = DEFAULT_OVERLAP_SECONDS }: { readonly overlapSeconds?: number } = {},
  { by = hostActor(), answer }: Caller<RotatedSecrets> = {},
): Promise<RotatedSecrets> {
  const leak = await leaks.find(id);
  if (leak === undefined) throw missing('leak', id);
  return rotateSecrets(callFor(leak, by), {
    overlapSeconds,
    find: () => endpointSecrets.endpointsOlderThan(leak, leak.created),
    async record(result, at) {
      const after = {
        endpoints: result.rotated.map(({ endpoint }) => endpoint.id),
        skipped: result.skipped.map(({ endpointId }) => endpointId),
      };
      const action = 'leak.rotate_signing_secrets' as const;
      return {
        audit: { ...entryFor(leak, by, at), action, after },
        ...(answer && { answer: await answer(result) }),
      };
    },
  });
}

/** A call in the name of whoever asks, for the account of the leak. */
function callFor({ accountId, environment }: Leak, by: AuditContext): Call {
  const { actor, requestId = newId('req') } = by;
  const owner = { accountId, environment, scopes: 'all' } as const;
  const principal: Principal =
    actor.type === 'admin'
      ? { ...owner, kind: 'admin', adminId: actor.id }
      : { ...owner, kind: 'host' };
  return { principal, requestId, audit: by };
}

function entryFor({ id, accountId, environment }: Leak, by: AuditContext, now: Date) {
  return { ...by, accountId, environment, target: id, created: now };
}
