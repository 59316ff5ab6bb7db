import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';
import type { HookPayload } from '@paymount/core/store';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import type { Knex } from 'knex';
import pg from 'pg';
import { sampleKey } from '../../packages/testing/src/storage/access/samples.ts';
import {
  AT,
  sampleCharge,
  sampleClaim,
  samplePaymentMethod,
} from '../../packages/testing/src/storage/samples.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { storeAccount } from '../support/store-account.ts';

describe('operations that access depends on have deadlines', () => {
  const owner = { accountId: newId('acct'), environment: 'test' } as const;
  const key = sampleKey(owner);
  const credential = { keyId: key.id, keyVersion: 1, accountVersion: 1 };
  const settled: HookPayload[] = [];
  let idleLimit: unknown;
  let database: TestDatabase;
  let postgres: PostgresStorage;
  let watcher: pg.Client;
  let holders: readonly [pg.Client, pg.Client];

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  }

  before(async () => {
    database = await freshDatabase();
    postgres = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
      async hook(trx: Knex.Transaction, of: HookPayload) {
        settled.push(of);
        const { rows } = await trx.raw('SHOW idle_in_transaction_session_timeout');
        idleLimit = rows[0]?.idle_in_transaction_session_timeout;
      },
    });
    await storeAccount(postgres, owner.accountId, AT);
    await postgres.access.change(async ({ keys }) => {
      await keys.insert(key);
      return { result: undefined, subjects: [key.id], audit: [] };
    });
    watcher = await connected();
    holders = [await connected(), await connected()];
  });
  after(async () => {
    await Promise.all([watcher, ...holders].map((client) => client.end()));
    await postgres.close();
    await database.drop();
  });

  async function storedCharge(): Promise<Charge> {
    const method = samplePaymentMethod(owner);
    const charge = sampleCharge(owner, method.id);
    await postgres.storage.changes.apply({
      ...owner,
      at: AT,
      writes: [
        { mode: 'insert', kind: 'payment_method', row: method },
        { mode: 'insert', kind: 'charge', row: charge },
      ],
    });
    return charge;
  }

  const edited = (charge: Charge) => ({
    ...owner,
    at: AT,
    writes: [
      { mode: 'update', kind: 'charge', row: { ...charge, version: 2, description: 'New' } },
    ] as const,
  });

  /** Lets go of a lock 210 ms after somebody began to wait for it. */
  async function letGoOf(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await eventually(async () => (await watcher.query(waiting, [rows[0]?.pid])).rowCount === 1);
    await client.query('SELECT pg_sleep(0.21); ROLLBACK');
  }

  it('moves no money after two waits that are in time each, and are not together', async () => {
    const charge = await storedCharge();
    const claim = sampleClaim(owner, 'waits twice');
    const [first, second] = holders;
    await first.query('BEGIN');
    await first.query(
      `INSERT INTO paymount.idempotency_keys
         (account_id, livemode, key, fingerprint, request_id, created, status, body)
       VALUES ($1, false, 'waits twice', 'f', 'r', now(), 200, '{}')`,
      [owner.accountId],
    );
    await second.query('BEGIN');
    await second.query('SELECT FROM paymount.charges WHERE id = $1 FOR UPDATE', [charge.id]);
    const money = rejectionCode(
      postgres.storage.changes.apply({ ...edited(charge), claim, credential }),
    );
    await letGoOf(first);
    await Promise.race([letGoOf(second), money]);
    expect(await money).to.equal('lock_timeout');
    expect(await postgres.storage.read.charges.find(owner, charge.id)).to.deep.equal(charge);
    expect(await postgres.storage.idempotency.find(owner, claim.key)).to.equal(undefined);
    await second.query('ROLLBACK');
  });

  it('commits no money that its process held back for longer than 500 ms', async () => {
    const charge = await storedCharge();
    const held = postgres.storage.transaction(async ({ changes }) => {
      const applied = await changes.apply({ ...edited(charge), credential });
      expect(applied).to.equal('applied');
      const endMs = performance.now() + 501;
      while (performance.now() < endMs);
    });
    expect(await rejectionCode(held)).to.equal('lock_timeout');
    expect(await postgres.storage.read.charges.find(owner, charge.id)).to.deep.equal(charge);
  });

  it('releases all locks of a process that is stopped for 6 s', async () => {
    const charge = await storedCharge();
    const of = { kind: 'charge', charge } as const;
    await postgres.storage.changes.apply({ ...edited(charge), settled: of });
    expect(settled).to.deep.equal([of]);
    expect(idleLimit).to.equal('6s');
  });

  it('delays no revocation for longer than 1 s while another is stopped before its commit', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let reached = (): void => undefined;
    const atCommit = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // The host's pool sends the COMMIT of a process that was suspended right before it.
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as (query: { text: string }) => unknown;
      const sendLate = async (query: { text: string }): Promise<unknown> => {
        reached();
        await held;
        return send(query);
      };
      Object.assign(client, {
        query: (query: { text: string }) =>
          query.text === 'COMMIT' ? sendLate(query) : send(query),
      });
    });
    const stalled = createPostgresStorage({ connection: pool, dispatch: new DispatchHub() });
    const change = (storage: PostgresStorage) =>
      storage.access.change(async () => ({ result: undefined, subjects: [key.id], audit: [] }));
    const gen = async () => (await postgres.credentials.syncEpoch(undefined)).current.gen;
    const before = await gen();
    const first = rejectionCode(change(stalled));
    await atCommit;
    // It would be `lock_timeout` after 3 s.
    expect(await rejectionCode(change(postgres))).to.equal('no error');
    goOn();
    expect(await first).to.equal('unavailable');
    expect(await gen()).to.equal(before + 1n);
    await stalled.close();
    await pool.end();
  });
});
