import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';
import type { StoredChange } from '@paymount/core/store';
import {
  createPostgresStorage,
  type OpenPostgresOptions,
  type PostgresStorage,
} from '@paymount/storage-postgres';
import { expect } from 'chai';
import { knex as createKnex, type Knex } from 'knex';
import pg from 'pg';
import {
  AT,
  sampleCharge,
  sampleEndpoint,
  sampleEvent,
  samplePaymentMethod,
} from '../../packages/testing/src/storage/samples.ts';
import { RecordingDispatch } from '../../packages/testing/src/storage/setup.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { storeAccount } from '../support/store-account.ts';

describe('connections', () => {
  let database: TestDatabase;
  let knex: Knex;
  const owner = { accountId: newId('acct'), environment: 'test' } as const;
  const opened: PostgresStorage[] = [];

  function open(options: Partial<OpenPostgresOptions> = {}): PostgresStorage {
    const postgres = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
      ...options,
    });
    opened.push(postgres);
    return postgres;
  }

  async function storedCharge({ storage }: PostgresStorage): Promise<Charge> {
    const method = samplePaymentMethod(owner);
    const charge = sampleCharge(owner, method.id);
    await storage.changes.apply({
      ...owner,
      at: AT,
      writes: [
        { mode: 'insert', kind: 'payment_method', row: method },
        { mode: 'insert', kind: 'charge', row: charge },
      ],
    });
    return charge;
  }

  const change = (
    charge: Charge,
    description: string,
    settled?: NonNullable<StoredChange['settled']>,
  ) => ({
    ...owner,
    at: AT,
    writes: [
      {
        mode: 'update',
        kind: 'charge',
        row: { ...charge, version: charge.version + 1, description },
      },
    ] as const,
    ...(settled && { settled }),
  });

  before(async () => {
    database = await freshDatabase();
    knex = createKnex({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
    await knex.raw('CREATE TABLE host_rows (id text PRIMARY KEY)');
    await storeAccount(open(), owner.accountId, AT);
  });
  after(async () => {
    await Promise.all(opened.map((postgres) => postgres.close()));
    await knex.destroy();
    await database.drop();
  });

  it("works on a host's pg.Pool, and leaves it open", async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const postgres = open({ connection: pool });
    const charge = await storedCharge(postgres);
    const found = await postgres.storage.transaction(({ charges }) =>
      charges.findForUpdate(owner, charge.id),
    );
    expect(found).to.deep.equal(charge);
    expect((await postgres.credentials.syncEpoch(undefined)).inRecovery).to.equal(false);
    await postgres.close();
    await postgres.close();
    expect((await pool.query('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
    await pool.end();
  });

  for (const kind of ['a connection string', 'a pg.Pool', 'a knex']) {
    it(`runs the hook in the transaction of the result, on ${kind}`, async () => {
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      const connection = { 'a pg.Pool': pool, 'a knex': knex }[kind] ?? database.url;
      const rowId = `row of ${kind}`;
      let refuses = true;
      const hook = async (trx: Knex.Transaction): Promise<void> => {
        await trx('host_rows').insert({ id: rowId });
        if (refuses) throw new Error('The host says no.');
      };
      const { storage } = open({ connection, hook });
      const charge = await storedCharge(open());
      const settle = (): Promise<unknown> =>
        storage.changes.apply(change(charge, rowId, { kind: 'charge', charge }));
      const error: unknown = await settle().catch((cause: unknown) => cause);
      expect(error).to.have.nested.property('cause.message', 'The host says no.');
      expect(await storage.read.charges.find(owner, charge.id)).to.deep.equal(charge);
      expect(await knex('host_rows').where({ id: rowId })).to.deep.equal([]);
      refuses = false;
      expect(await settle()).to.equal('applied');
      expect(await knex('host_rows').where({ id: rowId })).to.deep.equal([{ id: rowId }]);
      await pool.end();
    });
  }

  it("joins a host's transaction: seen inside at once, outside after the commit", async () => {
    const postgres = open({ connection: knex });
    const outside = open();
    const charge = await storedCharge(outside);
    await knex.transaction(async (trx) => {
      const { storage } = { storage: postgres.using(trx) };
      expect(await storage.changes.apply(change(charge, 'inside'))).to.equal('applied');
      expect((await storage.read.charges.find(owner, charge.id))?.description).to.equal('inside');
      const seen = await outside.storage.read.charges.find(owner, charge.id);
      expect(seen?.description).to.equal('An order');
    });
    const seen = await outside.storage.read.charges.find(owner, charge.id);
    expect(seen?.description).to.equal('inside');
  });

  it("undoes only its own part of a host's transaction when its work throws", async () => {
    const postgres = open({ connection: knex });
    const charge = await storedCharge(open());
    await knex.transaction(async (trx) => {
      const storage = postgres.using(trx);
      await trx('host_rows').insert({ id: 'kept' });
      const failed = storage.transaction(async ({ changes }) => {
        await changes.apply(change(charge, 'undone'));
        throw new Error('The work failed.');
      });
      await failed.catch(() => undefined);
      expect(await storage.read.charges.find(owner, charge.id)).to.deep.equal(charge);
    });
    expect(await knex('host_rows').where({ id: 'kept' })).to.have.length(1);
  });

  it('announces deliveries after the outermost transaction, and refuses use after its end', async () => {
    const hub = new DispatchHub();
    const engine = new RecordingDispatch(9);
    hub.attach(engine);
    const postgres = open({ connection: knex, dispatch: hub });
    const row = sampleEndpoint(owner);
    const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
    await open().storage.changes.apply({ ...owner, at: AT, writes });
    const ended = await knex.transaction(async (outer) => {
      const inner = await outer.transaction(async (trx) => {
        const storage = postgres.using(trx);
        await storage.changes.apply({ ...owner, at: AT, writes: [], events: [sampleEvent(owner)] });
        return storage;
      });
      expect(engine.announced).to.deep.equal([]);
      return inner;
    });
    expect(engine.announced).to.have.length(1);
    expect(engine.sent).to.deep.equal([]);
    const late = await rejectionCode(ended.read.ledger.balances(owner));
    expect(String(late)).to.match(/This transaction has ended/);
  });

  it('reruns the work of a deadlock', async () => {
    const { storage } = open();
    const charges = [await storedCharge(open()), await storedCharge(open())] as const;
    let tries = 0;
    let locked = 0;
    // Neither goes on before both have locked their first row: the second one is a deadlock for sure.
    let lockedByBoth = (): void => undefined;
    const bothLocked = new Promise<void>((resolve) => {
      lockedByBoth = resolve;
    });
    const lockBoth = ([first, second]: readonly [Charge, Charge]): Promise<void> =>
      storage.transaction(async ({ charges: rows }) => {
        tries += 1;
        await rows.findForUpdate(owner, first.id);
        locked += 1;
        if (locked === 2) lockedByBoth();
        await bothLocked;
        await rows.findForUpdate(owner, second.id);
      });
    const [one, other] = charges;
    await Promise.all([lockBoth([one, other]), lockBoth([other, one])]);
    // A third at least; on a slow machine the rerun may meet the other once more.
    expect(tries).to.be.at.least(3);
  });

  it('waits 3 s for a row lock, at most 5 s in a queue for it, then answers lock_timeout', async () => {
    const postgres = open();
    const charge = await storedCharge(postgres);
    await knex.transaction(async (trx) => {
      await trx.raw('SELECT id FROM paymount.charges WHERE id = ? FOR UPDATE', [charge.id]);
      const startedMs = performance.now();
      const waited = await Promise.all([
        rejectionCode(postgres.storage.changes.apply(change(charge, 'never'))),
        rejectionCode(
          postgres.storage.transaction(({ charges }) => charges.findForUpdate(owner, charge.id)),
        ),
      ]);
      expect(waited).to.deep.equal(['lock_timeout', 'lock_timeout']);
      expect(performance.now() - startedMs).to.be.within(2_900, 5_900);
    });
  });

  it('answers unavailable after 5 s when the pool of the host stays full', async () => {
    const postgres = open({ connection: knex });
    await knex.transaction(async () => {
      const startedMs = performance.now();
      expect(await rejectionCode(postgres.storage.read.ledger.balances(owner))).to.equal(
        'unavailable',
      );
      expect(performance.now() - startedMs).to.be.within(4_900, 9_000);
    });
    expect(await postgres.storage.read.ledger.balances(owner)).to.deep.equal([]);
  });

  it('answers unavailable while the server is cut off, and recovers by itself', async () => {
    const postgres = open({ pool: { max: 2 } });
    const charge = await storedCharge(postgres);
    const cut = async (): Promise<void> => {
      await knex.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'paymount'`,
      );
    };
    const lost = postgres.storage.transaction(async ({ charges, changes }) => {
      await changes.apply(change(charge, 'never'));
      await cut();
      return charges.find(owner, charge.id);
    });
    expect(await rejectionCode(lost)).to.equal('unavailable');
    expect(await postgres.storage.read.charges.find(owner, charge.id)).to.deep.equal(charge);
    const { deliveries } = open({ connection: 'postgresql://127.0.0.1:1/none' });
    expect(await rejectionCode(deliveries.overdueMs(0))).to.equal('unavailable');
  });

  for (const [what, table, ask] of [
    ['a look-up of a key', 'api_keys', (of) => of.credentials.findByHash(Buffer.alloc(32))],
    ['a question for changes', 'auth_epoch', (of) => of.credentials.syncEpoch(undefined)],
  ] as const satisfies readonly (readonly [string, string, Ask])[]) {
    it(`leaves no backend waiting when ${what} was given up`, async () => {
      const postgres = open();
      await knex.transaction(async (trx) => {
        await trx.raw(`LOCK TABLE paymount.${table} IN ACCESS EXCLUSIVE MODE`);
        for (let tries = 0; tries < 3; tries += 1) {
          expect(await rejectionCode(ask(postgres))).to.equal('unavailable');
        }
        const waiting = await backendsWaiting(trx);
        expect(waiting).to.be.within(1, 4);
        await eventually(async () => (await backendsWaiting(trx)) === 0, Boolean, 2_000);
      });
      expect(await rejectionCode(ask(postgres))).to.equal('no error');
    });
  }

  it('waits 3 s for the lock of a table to note and to forget, and the server no longer', async () => {
    const { usage, storage, mails } = open();
    await knex.transaction(async (trx) => {
      await trx.raw(`LOCK TABLE paymount.key_usage, paymount.key_usage_hourly,
        paymount.idempotency_keys, paymount.mails IN ACCESS EXCLUSIVE MODE`);
      const asked = [
        usage.flush([]),
        usage.purge(AT, 10),
        storage.idempotency.purge(AT, 10),
        mails.purge(AT, 10),
      ];
      const timedOut = asked.map(() => 'lock_timeout');
      expect(await Promise.all(asked.map(rejectionCode))).to.deep.equal(timedOut);
      expect(await backendsWaiting(trx)).to.equal(0);
    });
  });
});

type Ask = (of: PostgresStorage) => Promise<unknown>;

async function backendsWaiting(trx: Knex.Transaction): Promise<number> {
  const { rows } = await trx.raw<{ rows: { n: number }[] }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}
