import type { KeyId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { type Caller, hostActor } from '../caller.ts';
import { invalid } from '../checks.ts';
import { mintKey } from '../credentials/key-format.ts';
import type { Key } from './key.ts';
import {
  assertKeyCapacity,
  type CreatedKey,
  type KeyServicePorts,
  lockAccount,
  toAuditTarget,
} from './key-change.ts';
import { keyFacts } from './key-facts.ts';
import { MAX_OVERLAP_SECONDS } from './key-input.ts';
import { buildSuccessor, isLive } from './new-key.ts';

/** The number of tries if a key changes while its successor is made. */
const MAX_TRIES = 3;

export interface Rotation {
  /** How long the old key still works, 0 to 2,592,000 (30 days). Absent: until it is revoked. */
  readonly overlapSeconds?: number;
}

/** Creates the successor of a key, as `KeyService` describes. */
export async function rotateKey(
  ports: KeyServicePorts,
  id: KeyId,
  rotation: Rotation,
  caller: Caller<CreatedKey> = {},
): Promise<CreatedKey> {
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

/** @returns undefined if the key changed meanwhile; nothing was written */
async function tryRotate(
  { access, keys: reader, clock, issuerTag }: KeyServicePorts,
  id: KeyId,
  { overlapSeconds }: Rotation,
  { by = hostActor(), response }: Caller<CreatedKey>,
): Promise<CreatedKey | undefined> {
  const now = clock.now();
  const seen = await reader.find(id);
  if (seen === undefined) throw missing('key', id);
  const secret = mintKey(seen.type, seen.environment, issuerTag);
  const made = { key: buildSuccessor(seen, secret, { now, createdBy: by.actor.id }), secret };
  // Sealing an answer may call a key service, so it comes before the transaction.
  const stored = await response?.(made);
  return access.change(async (rows) => {
    const { keys } = rows;
    await lockAccount(rows, seen);
    const before = await keys.findForUpdate(id);
    if (before?.version !== seen.version) return { result: undefined, subjects: [], audit: [] };
    if (!isLive(before, now) || before.replacedBy !== undefined) throw notRotatable(before);
    const old = replaced(before, made.key.id, { now, overlapSeconds });
    if (isLive(old, now)) await assertKeyCapacity(rows, old, now);
    await keys.insert(made.key);
    await keys.update(old);
    const entry = { ...by, action: 'key.rotate', created: now } as const;
    return {
      result: made,
      subjects: [id, made.key.id],
      audit: [
        { ...entry, ...toAuditTarget(old), before: keyFacts(before), after: keyFacts(old) },
        { ...entry, ...toAuditTarget(made.key), after: keyFacts(made.key) },
      ],
      ...(stored && { response: stored }),
    };
  });
}

function isOverlap(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS;
}

/** An overlap never extends the life of the old key. */
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
    ...(overlapSeconds === 0 ? { endedAt: now } : {}),
  };
}

function notRotatable(key: Key): PaymountError {
  if (key.replacedBy !== undefined) {
    const message = `Key ${key.id} was replaced by ${key.replacedBy}; rotate that one.`;
    return new PaymountError('key_not_rotatable', message);
  }
  const state = key.status === 'revoked' ? 'is revoked' : 'has expired';
  return new PaymountError('key_not_rotatable', `Key ${key.id} ${state}; create a new key.`);
}
