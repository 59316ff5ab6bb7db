import { type SealingKeys, sealProven } from '@paymount/auth';
import { PaymountError, type Sealer } from '@paymount/core';
import type { SealedCount, SealedRow, SealedRows } from '@paymount/storage-postgres';

const BATCH = 500;

/** What a rewrap works with. */
export interface RewrapPorts {
  readonly sealed: SealedRows;
  readonly ring: SealingKeys;
  readonly sealer: Sealer;
}

/** What a rewrap did, and what it could not do. */
export interface Rewrapped {
  /** The key that seals now. */
  readonly kid: string;
  /** Rows that were sealed anew, by table and the key of before. */
  readonly done: readonly SealedCount[];
  /** Rows that do not open. */
  readonly broken: readonly SealedRow[];
  /** Rows that other keys still seal, the broken ones among them. */
  readonly left: readonly SealedCount[];
  /** Keys that sealed some of these, and that the ring lacks. */
  readonly missing: readonly string[];
}

/**
 * Seals everything anew under the current key, batch by batch. Each batch is one statement that
 * replaces rows as they were read, so it may be killed at any place, run again, and run beside
 * workers and other rewraps.
 * @param onProgress told how many rows of how many are done, after each batch
 * @throws PaymountError `unavailable` when the database or the key provider does not answer
 * @throws Error when what was sealed anew does not open; the batch is not replaced
 */
export async function rewrap(
  ports: RewrapPorts,
  onProgress: (done: number, total: number) => void,
): Promise<Rewrapped> {
  const { sealed, ring } = ports;
  const { kid } = await ring.current();
  const old = await othersThan(kid, sealed);
  const total = old.reduce((sum, { count }) => sum + count, 0);
  const done: SealedCount[] = [];
  const broken: SealedRow[] = [];
  const missing = new Set<string>();
  let seen = 0;
  for (const { table, kid: oldKid } of old) {
    if ((await ring.byKid(oldKid)) === undefined) {
      missing.add(oldKid);
      continue;
    }
    let count = 0;
    for await (const batch of batchesOf(sealed, { table, kid: oldKid })) {
      const opened = await Promise.all(batch.map((row) => resealed(row, ports)));
      const good = opened.filter((row) => row !== undefined);
      broken.push(...batch.filter((_, index) => opened[index] === undefined));
      count += await sealed.replace(table, good);
      seen += batch.length;
      onProgress(seen, total);
    }
    done.push({ table, kid: oldKid, count });
  }
  return { kid, done, broken, left: await othersThan(kid, sealed), missing: [...missing] };
}

async function othersThan(kid: string, sealed: SealedRows): Promise<readonly SealedCount[]> {
  return (await sealed.counts()).filter((count) => count.kid !== kid);
}

async function* batchesOf(
  sealed: SealedRows,
  of: Pick<SealedRow, 'table' | 'kid'>,
): AsyncGenerator<readonly SealedRow[]> {
  let after: SealedRow | undefined;
  for (;;) {
    const batch = await sealed.batch({ ...of, limit: BATCH, ...(after && { after }) });
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH) return;
    after = batch.at(-1);
  }
}

/** @returns undefined when the row does not open */
async function resealed(row: SealedRow, { sealer }: RewrapPorts) {
  let plain: string;
  try {
    plain = await sealer.open(row.sealed, row.context);
  } catch (error) {
    if (PaymountError.is(error)) throw error;
    return undefined;
  }
  return { row, ...(await sealProven(sealer, plain, row.context)) };
}
