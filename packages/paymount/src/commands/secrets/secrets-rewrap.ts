import { type SealingKeys, sealAndVerify } from '@paymount/auth';
import { usage } from '@paymount/cli';
import type { AccessStorage } from '@paymount/core/access';
import {
  type AuditContext,
  MisplacedSecretError,
  PaymountError,
  type SealedCount,
  type SealedRow,
  type SealedRowRepository,
  type Sealer,
} from '@paymount/core/kernel';
import { systemClock } from '../../adapters/system-clock.ts';

const BATCH = 500;

/** The dependencies of a rewrap. */
export interface RewrapPorts {
  readonly sealed: SealedRowRepository;
  readonly access: AccessStorage;
  readonly ring: SealingKeys;
  readonly sealer: Sealer;
  /** The actor in the audit log. */
  readonly by: AuditContext;
}

/** The result of a rewrap. */
export interface Rewrapped {
  /** The current key, which seals. */
  readonly kid: string;
  /** Resealed rows, by table and previous key. */
  readonly done: readonly SealedCount[];
  /** Rows that do not open, although others of their key do. */
  readonly broken: readonly SealedRow[];
  /** Rows still sealed by other keys, including the broken ones. */
  readonly left: readonly SealedCount[];
  /** Keys that sealed some of these rows and are missing from the ring. */
  readonly missing: readonly string[];
  /** Keys of the ring that cannot open any secret sealed with their names. */
  readonly wrong: readonly string[];
}

type OnProgress = (done: number, total: number) => void;

/**
 * Reseals everything with the current key, batch by batch, and writes one row to the audit log.
 * Each batch is one statement that replaces rows only if they are unchanged, so the command can be
 * killed at any point, repeated, and run next to workers and other rewraps.
 * @param onProgress called after each batch with the number of finished rows and of all rows
 * @throws PaymountError `unavailable` when the database or the key provider does not answer
 * @throws Error if a resealed secret does not open; the batch is not replaced
 * @throws UsageError if the current key opens none of the secrets sealed under its name
 */
export async function rewrap(ports: RewrapPorts, onProgress: OnProgress): Promise<Rewrapped> {
  const { sealed, ring } = ports;
  const { kid } = await ring.current();
  await assertRight(kid, ports);
  const old = await othersThan(kid, sealed);
  const run = new Run(ports, kid, (seen) => onProgress(seen, total));
  const total = old.reduce((sum, { count }) => sum + count, 0);
  try {
    for (const of of old) await run.rewrap(of);
  } finally {
    // Also after a failed run, because the rows that it replaced stay replaced.
    await run.record();
  }
  return { ...run.result(), left: await othersThan(kid, sealed) };
}

/** Secrets sealed with a mistyped key would be lost. */
async function assertRight(kid: string, { sealed, sealer }: RewrapPorts): Promise<void> {
  const rows = (await sealed.samples()).filter((row) => row.kid === kid);
  const opened = await Promise.all(rows.map((row) => opens(row, sealer)));
  if (rows.length === 0 || opened.some(({ fits }) => fits)) return;
  throw usage(
    `The key that you passed as ${kid} opens nothing of what ${kid} sealed, so its bytes are wrong. Nothing was changed.`,
  );
}

async function othersThan(
  kid: string,
  sealed: SealedRowRepository,
): Promise<readonly SealedCount[]> {
  return (await sealed.counts()).filter((count) => count.kid !== kid);
}

/** One run, from the first batch to the audit row. */
class Run {
  readonly #ports: RewrapPorts;
  readonly #kid: string;
  readonly #onSeen: (rows: number) => void;
  readonly #done: SealedCount[] = [];
  readonly #closed: SealedRow[] = [];
  readonly #missing = new Set<string>();
  /** Keys that opened a row. */
  readonly #right = new Set<string>();
  #seen = 0;

  constructor(ports: RewrapPorts, kid: string, onSeen: (rows: number) => void) {
    this.#ports = ports;
    this.#kid = kid;
    this.#onSeen = onSeen;
  }

  /** Reseals the rows that one key sealed in one table. */
  async rewrap({ table, kid }: SealedCount): Promise<void> {
    const { ring, sealed } = this.#ports;
    if ((await ring.byKid(kid)) === undefined) {
      this.#missing.add(kid);
      return;
    }
    let count = 0;
    try {
      for await (const batch of readBatches(sealed, { table, kid })) {
        count += await sealed.replace(table, await this.#resealed(batch));
        this.#seen += batch.length;
        this.#onSeen(this.#seen);
        // A wrong key opens no row, so there is no need to try all of them.
        if (!this.#right.has(kid)) break;
      }
    } finally {
      this.#done.push({ table, kid, count });
    }
  }

  async #resealed(batch: readonly SealedRow[]) {
    const { sealer } = this.#ports;
    const resealed = batch.map(async (row) => {
      const { fits, plain } = await opens(row, sealer);
      if (fits) this.#right.add(row.kid);
      if (plain === undefined) {
        this.#closed.push(row);
        return [];
      }
      return [{ row, ...(await sealAndVerify(sealer, plain, row.context)) }];
    });
    return (await Promise.all(resealed)).flat();
  }

  /** Writes one row to the audit log; none if nothing was replaced. */
  async record(): Promise<void> {
    const { access, by } = this.#ports;
    const before = new Map<string, number>();
    let all = 0;
    for (const { kid, count } of this.#done) {
      if (count > 0) before.set(kid, (before.get(kid) ?? 0) + count);
      all += count;
    }
    if (all === 0) return;
    const entry = {
      ...by,
      action: 'secrets.rewrap',
      target: this.#kid,
      before: { sealed_by: Object.fromEntries(before) },
      after: { sealed_by: { [this.#kid]: all } },
      created: systemClock.now(),
    } as const;
    await access.change(async () => ({ result: undefined, subjects: [], audit: [entry] }));
  }

  result(): Omit<Rewrapped, 'left'> {
    const isWrong = ({ kid }: SealedRow): boolean => !this.#right.has(kid);
    return {
      kid: this.#kid,
      done: this.#done,
      broken: this.#closed.filter((row) => !isWrong(row)),
      missing: [...this.#missing],
      wrong: [...new Set(this.#closed.filter(isWrong).map(({ kid }) => kid))],
    };
  }
}

async function* readBatches(
  sealed: SealedRowRepository,
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

/** @returns the secret if the row opens, and whether its key is correct */
async function opens(
  row: SealedRow,
  sealer: Sealer,
): Promise<{ readonly fits: boolean; readonly plain?: string }> {
  try {
    return { fits: true, plain: await sealer.open(row.sealed, row.context) };
  } catch (error) {
    if (PaymountError.is(error)) throw error;
    return { fits: MisplacedSecretError.is(error) };
  }
}
