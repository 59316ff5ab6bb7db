import { isDeepStrictEqual } from 'node:util';
import { ENVIRONMENTS } from '../../kernel/basics/environment.ts';
import type { KeyId } from '../../kernel/basics/id.ts';
import { withTimeout } from '../../kernel/basics/with-timeout.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { requireOneOf } from '../../kernel/input/require-one-of.ts';
import type { AccessRepositories } from '../access-storage.ts';
import { type Caller, hostActor } from '../caller.ts';
import { present, requireParameters } from '../checks.ts';
import { assertIssuerTag, KEY_TYPES, mintKey } from '../credentials/key-format.ts';
import { type Key, REVOKED_REASONS, type RevokedReason } from './key.ts';
import {
  assertKeyCapacity,
  type CreatedKey,
  type KeyServicePorts,
  lockAccount,
  toAuditTarget,
} from './key-change.ts';
import { editKey, type KeyEdit } from './key-edit.ts';
import { keyFacts } from './key-facts.ts';
import { type Rotation, rotateKey } from './key-rotation.ts';
import { type NewKey, newKey } from './new-key.ts';

/** Addresses that last used a key before this time no longer count. */
const USED_WITHIN_MS = 30 * 86_400_000;
/** How long an edit of addresses waits for this process to store the usage of the key. */
const WRITE_LIMIT_MS = 1_000;

/** Keys; each call is one transaction with its audit rows. */
export interface KeyService {
  /** @throws `parameter_invalid`, `resource_missing`, `key_limit_reached` */
  create(input: NewKey, caller?: Caller<CreatedKey>): Promise<CreatedKey>;
  /**
   * Changes name, scopes, addresses or expiry. Removed rights are refused everywhere within 500 ms
   * of the answer.
   * @throws `resource_missing`, `parameter_invalid`, `status_transition_invalid`;
   *   `ip_list_excludes_used_addresses` if the list leaves out an address that used the key in the
   *   last 30 days, unless `confirmLockout`. The usage of other processes is up to 10 s old
   */
  update(id: KeyId, edit: KeyEdit, caller?: Caller<Key>): Promise<Key>;
  /**
   * Creates the successor of a key, with its type, name, scopes and address list. Both work during
   * the overlap; the old key's answers say that it is replaced, and until when it works.
   * @throws `resource_missing`, `parameter_invalid`, `key_not_rotatable`, `lock_timeout`;
   * `key_limit_reached` if the account cannot have both
   */
  rotate(id: KeyId, rotation?: Rotation, caller?: Caller<CreatedKey>): Promise<CreatedKey>;
  /**
   * Final, and refused everywhere within 500 ms of the answer. Revoking again changes nothing.
   * @throws `resource_missing`, `parameter_invalid`
   */
  revoke(id: KeyId, reason: RevokedReason, caller?: Caller<Key>): Promise<Key>;
}

/** Makes the service of one process. @throws RangeError if the issuer tag is not valid */
export function createKeyService(ports: KeyServicePorts): KeyService {
  if (ports.issuerTag !== undefined) assertIssuerTag(ports.issuerTag);
  return {
    create: (input, caller) => create(ports, input, caller),
    update: async (id, given, caller) => {
      const edit: KeyEdit = requireParameters(given);
      if (checksAddresses(edit)) await writeUsage(ports);
      return change(ports, id, {
        ...caller,
        verb: 'update',
        to: async (key, now, rows) =>
          editKey(key, edit, { now, used: await addressesToKeep(rows, key, { edit, now }) }),
      });
    },
    rotate: (id, rotation = {}, caller) => rotateKey(ports, id, rotation, caller),
    revoke: (id, reason, caller) =>
      change(ports, id, {
        ...caller,
        verb: 'revoke',
        to: (key, now) => revoked(key, requireOneOf('reason', reason, REVOKED_REASONS), now),
      }),
  };
}

async function create(
  { access, clock, issuerTag }: KeyServicePorts,
  input: NewKey,
  { by, response }: Caller<CreatedKey> = {},
): Promise<CreatedKey> {
  const now = clock.now();
  const given = requireParameters(input);
  present('accountId', given.accountId);
  const environment = requireOneOf(
    'environment',
    present('environment', given.environment),
    ENVIRONMENTS,
  );
  const type = requireOneOf('type', present('type', given.type), KEY_TYPES);
  const secret = mintKey(type, environment, issuerTag);
  const made = { key: newKey(input, secret, now), secret };
  // Sealing an answer may call a key service, so it comes before the transaction.
  const stored = await response?.(made);
  return access.change(async (rows) => {
    const { key } = made;
    await lockAccount(rows, key);
    await assertKeyCapacity(rows, key, now);
    await rows.keys.insert(key);
    const actor = by ?? hostActor(key.createdBy);
    const entry = { ...actor, ...toAuditTarget(key), action: 'key.create', created: now } as const;
    return {
      result: made,
      subjects: [key.id],
      audit: [{ ...entry, after: keyFacts(key) }],
      ...(stored && { response: stored }),
    };
  });
}

function checksAddresses({ allowedIps, confirmLockout }: KeyEdit): boolean {
  return Boolean(allowedIps) && confirmLockout !== true;
}

/** If the usage cannot be stored in time, the edit does not wait for it. */
async function writeUsage({ flushUsage }: KeyServicePorts): Promise<void> {
  if (flushUsage) await withTimeout(flushUsage(), WRITE_LIMIT_MS).catch(() => undefined);
}

async function addressesToKeep(
  { usage }: AccessRepositories,
  { id }: Key,
  { edit, now }: { readonly edit: KeyEdit; readonly now: Date },
): Promise<readonly string[]> {
  if (!checksAddresses(edit)) return [];
  const seen = await usage.addresses(id, new Date(now.getTime() - USED_WITHIN_MS));
  return seen.map(({ address }) => address);
}

interface KeyChange extends Caller<Key> {
  readonly verb: 'update' | 'revoke';
  readonly to: (key: Key, now: Date, rows: AccessRepositories) => Key | Promise<Key>;
}

/** A call that changes nothing writes no audit row. */
function change(
  { access, clock }: KeyServicePorts,
  id: KeyId,
  { by = hostActor(), credential, response, verb, to }: KeyChange,
): Promise<Key> {
  return access.change(async (rows) => {
    const now = clock.now();
    const before = await rows.keys.findForUpdate(id);
    if (before === undefined) throw missing('key', id);
    const next = await to(before, now, rows);
    const facts = { before: keyFacts(before), after: keyFacts(next) };
    const same = isDeepStrictEqual(facts.before, facts.after);
    const key = same ? before : { ...next, version: before.version + 1 };
    if (!same) await rows.keys.update(key);
    const done = { ...by, ...toAuditTarget(key), action: `key.${verb}`, ...facts } as const;
    return {
      result: key,
      subjects: same ? [] : [id],
      audit: same ? [] : [{ ...done, created: now }],
      // Only a key that leaked takes its endpoints along; they are needed longer than others.
      ...(!same && key.status === 'revoked' && { ended: [id] }),
      ...(response && { response: await response(key) }),
      // A key that revokes itself has just changed.
      ...(credential && !('keyId' in credential && credential.keyId === id) && { credential }),
    };
  });
}

/** A key after its revocation; a revoked key is returned unchanged. */
export function revoked(key: Key, reason: RevokedReason, now: Date): Key {
  if (key.status === 'revoked') return key;
  return { ...key, status: 'revoked', revokedAt: now, revokedReason: reason };
}
