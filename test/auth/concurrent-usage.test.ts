import { newId } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase } from '../support/database.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const ROUNDS = 40;

describe('processes that record the use of the same keys at once', function () {
  this.timeout(60_000);

  it('never wait for each other in a circle, and lose no request', async () => {
    const database = await freshDatabase();
    const storages = [0, 1, 2].map(() =>
      createPostgresStorage({ connection: database.url, dispatch: {} as never }),
    );
    const keys = Array.from({ length: 5 }, () => newId('key')).sort();
    const hours = [{ hour: NOW, succeeded: 1, refused: 0, rateLimited: 0, failed: 0 }];
    const flushes = storages.map(async ({ usage }, process) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        // 60 of 160 addresses, so that each flush brings new ones and drops what others hold.
        const addresses = Array.from({ length: 60 }, (_, n) => ({
          address: `10.0.0.${(n * 7 + round * 31 + process * 53) % 160}`,
          count: 1,
          lastSeenAt: new Date(NOW.getTime() - ((n * 7919 + round * 104_729) % 100_000)),
        }));
        const at = { lastUsedAt: NOW, hours, addresses };
        await usage.flush(keys.map((keyId) => ({ keyId, ...at })));
      }
    });
    await Promise.all(flushes);
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query(
      'SELECT key_id, succeeded::integer AS requests FROM paymount.key_usage_hourly ORDER BY key_id',
    );
    expect(rows).to.deep.equal(keys.map((key_id) => ({ key_id, requests: 3 * ROUNDS })));
    for (const storage of storages) await storage.close();
    // A server process tells what it counted when it ends, if not before.
    const deadlocks = await client.query<{ n: number }>(
      'SELECT deadlocks::integer AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(deadlocks.rows).to.deep.equal([{ n: 0 }]);
    await client.end();
    await database.drop();
  });
});
