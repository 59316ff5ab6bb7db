import type { RotatedSecrets } from '../../events/endpoints/rotate-secrets.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, LeakId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { type AdminScope, isInAdminScope } from '../../kernel/callers/admin-scope.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { AccessRepositories, AccessStorage } from '../access-storage.ts';
import { type Caller, hostActor } from '../caller.ts';
import { invalid } from '../checks.ts';
import {
  type ExposedCredential,
  type Exposure,
  type LeakVerdict,
  MAX_SOURCE,
  ReportedCredentials,
  strongerVerdict,
  type UrlExposure,
} from './exposure.ts';
import {
  handleLeak,
  LEAK_POLICIES,
  type LeakOutcome,
  type LeakPolicy,
  type Rules,
} from './handle-leak.ts';
import type { Leak } from './leak.ts';
import { entryFor } from './leak-entry.ts';
import type { LeakDirectory } from './leak-repository.ts';
import { leakedEndpoints, type RotateLeakedPorts, rotateLeaked } from './rotate-leaked.ts';

/** The source of credentials that were found in request URLs. */
export const URL_SOURCE = 'url';

export interface LeakServicePorts extends RotateLeakedPorts {
  readonly access: AccessStorage;
  readonly leaks: Pick<LeakDirectory, 'find'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `notify` does not revoke leaked keys. @defaultValue `revoke` */
  readonly policy?: LeakPolicy;
  /** The recipient of mails if an account has no address. */
  readonly operator?: string;
}

/** Leaked credentials of this installation. */
export interface LeakService {
  /**
   * Handles a report: revokes secret and restricted keys (unless the policy is `notify`), records
   * each location, and writes to the owner, in one transaction. Signing secrets stay active,
   * because only their owner can rotate them. A repeated report changes nothing.
   * @param within credentials outside are treated as unknown @defaultValue everything
   * @returns a verdict for each exposure, in order
   * @throws `parameter_invalid` if the source is not a name, or is `url`
   */
  report(
    exposures: readonly Exposure[],
    caller?: Caller<readonly LeakVerdict[]>,
    within?: AdminScope,
  ): Promise<readonly LeakVerdict[]>;
  /** @throws `parameter_invalid` as `report` */
  checkSources(exposures: readonly Exposure[]): void;
  /** Dismisses a leak. Safe to call twice. @throws `resource_missing` */
  dismiss(id: LeakId, caller?: Caller<Leak>): Promise<Leak>;
  /** Endpoints of the account and environment whose signing secret is older than the leak. */
  endpointsToRotate(leak: Leak): Promise<readonly EndpointId[]>;
  /**
   * Rotates the signing secrets of all these endpoints, in one commit. An endpoint with the maximum
   * number of active secrets is skipped; after they expire, a second call rotates it.
   * @param overlap how long the old secrets also sign @defaultValue 86,400 seconds
   * @returns the new secrets, which are shown only once
   * @throws `resource_missing`, `sealing_keys_missing`, `lock_timeout` if endpoints keep changing
   */
  rotateSigningSecrets(
    id: LeakId,
    overlap?: { readonly overlapSeconds?: number },
    caller?: Caller<RotatedSecrets>,
  ): Promise<RotatedSecrets>;
}

/** Makes the service of one process. @throws TypeError for an unknown policy */
export function createLeakService(ports: LeakServicePorts): LeakService {
  if (ports.policy !== undefined && !LEAK_POLICIES.includes(ports.policy)) {
    throw new TypeError('The option `leakPolicy` must be "revoke" (the default) or "notify".');
  }
  return {
    async report(exposures, { by = hostActor(), response } = {}, within) {
      checkSources(exposures);
      const given = { ...(response && { response }), ...(within && { within }) };
      return handleReport(ports, exposures, { by, seenByUsAlone: false, ...given });
    },
    checkSources,
    dismiss: (id, caller) => dismiss(ports, id, caller),
    endpointsToRotate: (leak) => leakedEndpoints(ports, leak),
    rotateSigningSecrets: (id, overlap, caller) => rotate(ports, id, overlap, caller),
  };
}

const NOT_OURS: LeakVerdict = { matched: false, action: 'none' };

/**
 * Records credentials that were in the URL of requests to this API: their owner is notified. They
 * stay active, because nobody else is known to have read them.
 */
export async function reportUrls(
  ports: LeakServicePorts,
  exposures: readonly UrlExposure[],
): Promise<void> {
  const sourced = exposures.map((exposure) => ({ ...exposure, source: URL_SOURCE }));
  await handleReport(ports, sourced, { by: OURSELVES, seenByUsAlone: true });
}

const OURSELVES: AuditContext = { actor: { type: 'system', id: 'paymount' }, via: 'request' };

interface Report extends Pick<Rules, 'seenByUsAlone' | 'by'> {
  readonly response?: NonNullable<Caller<readonly LeakVerdict[]>['response']>;
  readonly within?: AdminScope;
}

async function handleReport(
  ports: LeakServicePorts,
  exposures: readonly Exposure[],
  { response, within, ...from }: Report,
): Promise<readonly LeakVerdict[]> {
  const { access, clock, policy = 'revoke', operator } = ports;
  const reported = new ReportedCredentials(exposures);
  const { verdicts, outcomes } = await access.change(async (rows) => {
    const rules: Rules = { policy, ...from, now: clock.now(), ...(operator && { operator }) };
    const outcomes: LeakOutcome[] = [];
    const verdicts = exposures.map(() => NOT_OURS);
    for (const { hash, ...exposed } of await findExposed(rows, reported)) {
      if (within !== undefined && !isInAdminScope(within, exposed)) continue;
      const indexes = reported.findIndexes(hash);
      const seen = indexes.flatMap((index) => exposures[index] ?? []);
      const outcome = await handleLeak(rows, exposed, seen, rules);
      outcomes.push(outcome);
      for (const index of indexes) {
        verdicts[index] = strongerVerdict(verdicts[index] ?? NOT_OURS, outcome.action);
      }
    }
    return {
      result: { verdicts, outcomes },
      subjects: outcomes.flatMap(({ subjects }) => subjects),
      ended: outcomes.flatMap(({ subjects }) => subjects),
      audit: outcomes.flatMap(({ audit }) => audit),
      mails: outcomes.flatMap(({ mails }) => mails),
      ...(response && { response: await response(verdicts) }),
    };
  });
  for (const outcome of outcomes) log(ports.logger, outcome);
  return verdicts;
}

function checkSources(exposures: readonly Exposure[]): void {
  for (const { source } of exposures) checkSource(source);
}

function checkSource(source: string): void {
  if (source.length < 1 || source.length > MAX_SOURCE) {
    throw invalid('source', `A source is a name of 1 to ${MAX_SOURCE} characters.`);
  }
  if (source === URL_SOURCE) {
    throw invalid('source', `The source ${URL_SOURCE} is reserved for URLs of this API.`);
  }
}

/**
 * One query for each table; in the order of their ids, because every report locks keys in this
 * order.
 */
async function findExposed(
  rows: AccessRepositories,
  reported: ReportedCredentials,
): Promise<readonly (ExposedCredential & { readonly hash: Uint8Array })[]> {
  const [keyHashes, secretHashes] = [reported.hashes('key'), reported.hashes('signing_secret')];
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
    return { accountId, environment, hash, redacted: reported.findRedacted(hash) };
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
  logger.error(
    { account, redacted },
    'No mail about a leak can be sent: the e-mail address is not valid.',
  );
}

function dismiss(
  { access, clock }: LeakServicePorts,
  id: LeakId,
  { by = hostActor(), response }: Caller<Leak> = {},
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
      ...(response && { response: await response(leak) }),
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
