import {
  type AccessChange,
  type AccessStore,
  type Clock,
  type Key,
  type KeyId,
  type KeyReader,
  PaymountError,
  type RevokedReason,
} from '@paymount/core';
import { missingAccount } from './account-service.ts';
import { type Caller, hostActor } from './caller.ts';
import { invalid } from './checks.ts';
import { editKey, type KeyEdit } from './key-edit.ts';
import { keyFacts } from './key-facts.ts';
import { assertIssuerTag, mintKey } from './key-format.ts';
import { checkNewKey, isLive, type NewKey, newKey, successorOf } from './new-key.ts';

const MAX_ACTIVE_KEYS = 100;
const MAX_OVERLAP_SECONDS = 2_592_000;
/** A key that changes while its successor is made is read again. */
const MAX_TRIES = 3;

export interface KeyServicePorts {
  readonly access: AccessStore;
  readonly keys: Pick<KeyReader, 'find'>;
  readonly clock: Clock;
  /** 2-8 letters or digits that mark the keys of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

/** A key as stored, and the key itself, which is shown this once. */
export interface MadeKey {
  readonly key: Key;
  readonly secret: string;
}

export interface Rotation {
  /**
   * How long the old key goes on, 0 to 2,592,000 (30 days). Absent: until it is revoked.
   */
  readonly overlapSeconds?: number;
}

/** Keys; each call is one transaction with its audit rows. */
export interface KeyService {
  /** @throws `parameter_invalid`, `resource_missing`, `key_limit_reached` */
  create(input: NewKey, caller?: Caller<MadeKey>): Promise<MadeKey>;
  /**
   * Changes name, scopes or expiry. Fewer rights hold everywhere within 500 ms of the answer.
   * @throws `resource_missing`, `parameter_invalid`, `status_transition_invalid`
   */
  update(id: KeyId, edit: KeyEdit, caller?: Caller<Key>): Promise<Key>;
  /**
   * Makes the successor of a key, with its type, name, scopes and address list. Both work during
   * the overlap; the old key's answers say that it is replaced, and until when it works.
   * @throws `resource_missing`, `parameter_invalid`, `key_not_rotatable`, `lock_timeout`
   */
  rotate(id: KeyId, rotation?: Rotation, caller?: Caller<MadeKey>): Promise<MadeKey>;
  /**
   * Final, and refused everywhere within 500 ms of the answer. Revoking twice changes nothing.
   * @throws `resource_missing`
   */
  revoke(id: KeyId, reason: RevokedReason, caller?: Caller<Key>): Promise<Key>;
}

/** Makes the service of one process. @throws RangeError when the issuer tag is none */
export function createKeyService(ports: KeyServicePorts): KeyService {
  if (ports.issuerTag !== undefined) assertIssuerTag(ports.issuerTag);
  return {
    create: (input, caller) => create(ports, input, caller),
    update: (id, edit, caller) =>
      change(ports, id, { ...caller, verb: 'update', to: (key, now) => editKey(key, edit, now) }),
    rotate: (id, rotation = {}, caller) => rotate(ports, id, rotation, caller),
    revoke: (id, reason, caller) =>
      change(ports, id, { ...caller, verb: 'revoke', to: (key, now) => revoked(key, reason, now) }),
  };
}

async function create(
  { access, clock, issuerTag }: KeyServicePorts,
  input: NewKey,
  { by = hostActor(input.createdBy), answer }: Caller<MadeKey> = {},
): Promise<MadeKey> {
  const now = clock.now();
  checkNewKey(input, now);
  const secret = mintKey(input.type, input.environment, issuerTag);
  const made = { key: newKey(input, secret, now), secret };
  // Sealing an answer may ask a key service elsewhere, so it comes before the transaction.
  const stored = await answer?.(made);
  return access.change(async ({ accounts, keys }) => {
    const { key } = made;
    // The account's row lock makes two callers at the limit see each other's keys.
    if ((await accounts.findForUpdate(key.accountId)) === undefined) {
      throw missingAccount(key.accountId);
    }
    if ((await keys.countActive(key, now)) >= MAX_ACTIVE_KEYS) {
      throw new PaymountError('key_limit_reached');
    }
    await keys.insert(key);
    const entry = { ...by, ...targetOf(key), action: 'key.create', created: now } as const;
    return {
      result: made,
      subjects: [key.id],
      audit: [{ ...entry, after: keyFacts(key) }],
      ...(stored && { answer: stored }),
    };
  });
}

interface KeyChange extends Caller<Key> {
  readonly verb: 'update' | 'revoke';
  /** @returns the very key when nothing changes: then nothing is written */
  readonly to: (key: Key, now: Date) => Key;
}

function change(
  { access, clock }: KeyServicePorts,
  id: KeyId,
  { by = hostActor(), answer, verb, to }: KeyChange,
): Promise<Key> {
  return access.change(async ({ keys }) => {
    const now = clock.now();
    const before = await keys.findForUpdate(id);
    if (before === undefined) throw missingKey(id);
    const next = to(before, now);
    const key = next === before ? before : { ...next, version: before.version + 1 };
    const written: Omit<AccessChange<Key>, 'result'> = key === before
      ? { subjects: [], audit: [] }
      : {
          subjects: [id],
          audit: [
            {
              ...by,
              ...targetOf(key),
              action: `key.${verb}`,
              before: keyFacts(before),
              after: keyFacts(key),
              created: now,
            },
          ],
        };
    if (key !== before) await keys.update(key);
    return { result: key, ...written, ...(answer && { answer: await answer(key) }) };
  });
}

async function rotate(
  ports: KeyServicePorts,
  id: KeyId,
  rotation: Rotation,
  caller: Caller<MadeKey> = {},
): Promise<MadeKey> {
  const { overlapSeconds } = rotation;
  if (overlapSeconds !== undefined && !isOverlap(overlapSeconds)) {
    throw invalid('overlap_seconds', 'An overlap is 0 to 2,592,000 whole seconds.');
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const made = await tryRotate(ports, id, rotation, caller);
    if (made !== undefined) return made;
  }
  throw new PaymountError('lock_timeout');
}

/** @returns undefined when the key changed meanwhile; nothing was written */
async function tryRotate(
  { access, keys: reader, clock, issuerTag }: KeyServicePorts,
  id: KeyId,
  { overlapSeconds }: Rotation,
  { by = hostActor(), answer }: Caller<MadeKey>,
): Promise<MadeKey | undefined> {
  const now = clock.now();
  const seen = await reader.find(id);
  if (seen === undefined) throw missingKey(id);
  const { type, environment } = seen;
  const secret = mintKey(type, environment, issuerTag);
  const made = { key: successorOf(seen, secret, { now, createdBy: by.actor.id }), secret };
  const stored = await answer?.(made);
  return access.change(async ({ keys }) => {
    const before = await keys.findForUpdate(id);
    if (before?.version !== seen.version) return { result: undefined, subjects: [], audit: [] };
    if (!isLive(before, now) || before.replacedBy !== undefined) throw notRotatable(before);
    const old = replaced(before, made.key.id, { now, overlapSeconds });
    await keys.insert(made.key);
    await keys.update(old);
    const entry = { ...by, action: 'key.rotate', created: now } as const;
    return {
      result: made,
      subjects: [id, made.key.id],
      audit: [
        { ...entry, ...targetOf(old), before: keyFacts(before), after: keyFacts(old) },
        { ...entry, ...targetOf(made.key), after: keyFacts(made.key) },
      ],
      ...(stored && { answer: stored }),
    };
  });
}

function isOverlap(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS;
}

/** An overlap never lengthens the life that the key had. */
function replaced(
  key: Key,
  by: KeyId,
  { now, overlapSeconds }: { readonly now: Date; readonly overlapSeconds: number | undefined },
): Key {
  const ends = overlapSeconds === undefined ? [] : [now.getTime() + overlapSeconds * 1000];
  if (key.expiresAt !== undefined) ends.push(key.expiresAt.getTime());
  return {
    ...key,
    version: key.version + 1,
    replacedBy: by,
    replacedAt: now,
    ...(ends.length === 0 ? {} : { expiresAt: new Date(Math.min(...ends)) }),
  };
}

function revoked(key: Key, reason: RevokedReason, now: Date): Key {
  if (key.status === 'revoked') return key;
  return { ...key, status: 'revoked', revokedAt: now, revokedReason: reason };
}

function targetOf({ id, accountId, environment }: Key) {
  return { target: id, accountId, environment };
}

function missingKey(id: KeyId): PaymountError {
  return new PaymountError('resource_missing', `No such key: ${id}.`);
}

function notRotatable(key: Key): PaymountError {
  if (key.replacedBy !== undefined) {
    const message = `Key ${key.id} was replaced by ${key.replacedBy}; rotate that one.`;
    return new PaymountError('key_not_rotatable', message);
  }
  const state = key.status === 'revoked' ? 'is revoked' : 'has expired';
  return new PaymountError('key_not_rotatable', `Key ${key.id} ${state}; create a new key.`);
}
