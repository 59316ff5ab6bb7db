import { createHash } from 'node:crypto';
import { mintKey } from '@paymount/core/access';
import { newId, SCOPES } from '@paymount/core/kernel';
import { Cleanup } from '../support/cleanup.ts';
import { startChild } from './child.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import type { Measurement } from './figure.ts';
import type { Settings } from './rounds.ts';

const KEYS = 100_000;
const BATCH = 1_000;
/** A look-up under way while changes come in is not kept. */
const LEAST_SHARE = 0.999;
/** One key in so many is restricted, and one has an end. */
const RESTRICTED_EVERY = 4;
const EXPIRING_EVERY = 20;

interface Memory {
  readonly heapMegabytes: number;
  readonly externalMegabytes: number;
}

/**
 * What a process keeps in memory for each key that it has let in; every key has an account of its
 * own, which costs most. A size and not a time, so once is enough.
 */
export async function measureMemoryKeys({ server, say }: Settings): Promise<Measurement> {
  const cleanup = new Cleanup();
  try {
    const database = cleanup.add(await openBenchDatabase(server));
    const child = await startChild('memory-keys-child.ts', { BENCH_DATABASE_URL: database.url });
    cleanup.onEnd(() => child.stop());
    // What every process needs, however many keys it knows.
    await child.ask('letIn', await seedBatch(database));
    const before = await child.ask<Memory>('memory');
    const batches: (readonly string[])[] = [];
    let cached = 0;
    while (batches.length < KEYS / BATCH) {
      const keys = await seedBatch(database);
      batches.push(keys);
      await child.ask('letIn', keys);
    }
    const after = await child.ask<Memory>('memory');
    for (const keys of batches) cached += await child.ask<number>('countCached', keys);
    const heap = after.heapMegabytes - before.heapMegabytes;
    const external = after.externalMegabytes - before.externalMegabytes;
    say(`  heap ${heap.toFixed(1)} MB, outside of it ${external.toFixed(1)} MB`);
    return {
      figures: [
        { name: `${KEYS} known keys`, unit: 'MB', values: [heap + external], atMost: 60, goal: 40 },
      ],
      sides: [],
      // Those of the first batch have left it, for it holds 100,000.
      invalid:
        cached >= KEYS * LEAST_SHARE ? [] : [`only ${cached} of ${KEYS} keys were in the cache`],
    };
  } finally {
    await cleanup.run();
  }
}

/** @returns new keys, each of an account of its own */
async function seedBatch(database: BenchDatabase): Promise<readonly string[]> {
  const accounts = Array.from({ length: BATCH }, () => newId('acct'));
  await database.query(
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     SELECT id, 'Account', 'DE', 'eur', 'active', 1, now() FROM unnest($1::text[]) AS id`,
    [accounts],
  );
  const rows = accounts.map((account, index) => {
    const type = index % RESTRICTED_EVERY === 0 ? 'restricted' : 'secret';
    const secret = mintKey(type, 'test');
    const some = 1 + (index % SCOPES.length);
    return {
      secret,
      id: newId('key'),
      account,
      type,
      hash: createHash('sha256').update(secret).digest('hex'),
      scopes: type === 'restricted' ? `{${SCOPES.slice(0, some).join()}}` : null,
      expires: index % EXPIRING_EVERY === 0 ? '2099-01-01T00:00:00Z' : null,
    };
  });
  await database.query(
    `INSERT INTO paymount.api_keys (id, account_id, livemode, type, name, hash, redacted, scopes,
       status, expires_at, version, created, created_by)
     SELECT id, account, false, type, 'Server', decode(hash, 'hex'), 'sk_test_pm...', scopes::text[],
       'active', expires::timestamptz, 1, now(), 'bench'
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       AS k (id, account, type, hash, scopes, expires)`,
    [
      rows.map(({ id }) => id),
      rows.map(({ account }) => account),
      rows.map(({ type }) => type),
      rows.map(({ hash }) => hash),
      rows.map(({ scopes }) => scopes),
      rows.map(({ expires }) => expires),
    ],
  );
  return rows.map(({ secret }) => secret);
}
