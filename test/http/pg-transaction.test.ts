import assert from 'node:assert/strict';
import { expect } from 'chai';
import createKnex from 'knex';
import type { HookPayload, HostTransaction, TransactionPort } from 'paymount';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const ENDED = 'Error: This transaction has ended; nothing more can be done in it.';
const OUTCOME_UNKNOWN =
  'Error: This transaction, or a savepoint around the call, ended in the middle of a call, and it is ' +
  'unknown whether its changes were committed. List the charges or refunds before you call ' +
  'again, or repeat it with its idempotencyKey.';
/** What the how-to shows is tested with each library in `host-libraries.nightly.test.ts`. */
const CLOSE_LIMIT_MS = 5_000;

describe('a transaction on a client of pg', () => {
  let app: TestApp;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  const hold = () => app.paymount.charges.create(app.acting, { ...sale, capture: false });

  before(async () => {
    app = await startApp();
    pool = new pg.Pool({ connectionString: app.databaseUrl, max: 4 });
    await pool.query('CREATE TABLE orders (id text PRIMARY KEY)');
  });
  after(async () => {
    await pool.end();
    await app.close();
  });
  beforeEach(async () => {
    client = await pool.connect();
  });
  afterEach(() => client.release(true));

  const listOperations = async (subject: string): Promise<string[]> =>
    (
      await pool.query('SELECT kind FROM paymount.operations WHERE subject_id = $1 ORDER BY id', [
        subject,
      ])
    ).rows.map(({ kind }) => kind);

  /** A capture in a transaction on the client; it has begun, and waits for the row of its charge. */
  const inTheMiddle = async (
    id: string,
    transaction: HostTransaction = client,
  ): Promise<{ readonly call: Promise<unknown>; goOn(): Promise<void> }> => {
    const holder = await pool.connect();
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await holder.query('BEGIN');
    await holder.query('SELECT FROM paymount.charges WHERE id = $1 FOR UPDATE', [id]);
    await client.query('BEGIN');
    const call = app.paymount.using(transaction).charges.capture(app.acting, id).catch(String);
    // Others wait for locks on the same server too, in databases of other test files.
    const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await eventually(
      async () => (await pool.query(waiting, [rows[0]?.pid])).rowCount,
      (sessions) => sessions === 1,
    );
    const goOn = async (): Promise<void> => {
      await holder.query('COMMIT');
      holder.release();
    };
    return { call, goOn };
  };

  it('is refused before BEGIN, and says what to send', () => {
    expect(() => app.paymount.using(client)).to.throw(
      TypeError,
      'Await `client.query("BEGIN")` on it before `using(client)`.',
    );
    const unconnected = new pg.Client({ connectionString: app.databaseUrl });
    expect(() => app.paymount.using(unconnected)).to.throw(TypeError, 'is in no transaction');
  });

  it('leaves no listener behind', async () => {
    const listeners = () => [
      ...['drain', 'end'].map((name) => client.listenerCount(name)),
      ...['commandComplete', 'readyForQuery'].map((name) => client.connection.listenerCount(name)),
    ];
    const before = listeners();
    for (const end of ['COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', 'COMMIT']) {
      await client.query('BEGIN');
      await app.paymount.using(client).charges.create(app.acting, sale);
      await app.paymount.using(client).charges.create(app.acting, sale);
      await client.query(end);
    }
    expect(listeners()).to.deep.equal(before);
  });

  it('is refused after its end, also when the next has begun on the client', async () => {
    const { id } = await hold();
    await client.query('BEGIN');
    const { charges } = app.paymount.using(client);
    await client.query('COMMIT');
    await client.query('BEGIN');
    expect(await charges.capture(app.acting, id).catch(String)).to.equal(ENDED);
    await client.query("INSERT INTO orders VALUES ('o_next')");
    await client.query('COMMIT');
    expect((await pool.query("SELECT FROM orders WHERE id = 'o_next'")).rowCount).to.equal(1);
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  it('is distinguished from the next one that began at the same moment', async () => {
    const { id } = await hold();
    await client.query('BEGIN');
    const { charges } = app.paymount.using(client);
    await charges.retrieve(app.acting, id);
    // The client never falls idle between the two.
    const both = [client.query('COMMIT'), client.query('BEGIN')];
    expect(await charges.capture(app.acting, id).catch(String)).to.equal(ENDED);
    await Promise.all(both);
    await client.query('COMMIT');
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  it('commits no part of a call if the host commits in the middle of it', async () => {
    const { id } = await hold();
    const waiting = await inTheMiddle(id);
    const commit = client.query('COMMIT');
    await waiting.goOn();
    expect(await waiting.call).to.equal(ENDED);
    await commit;
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  it('commits no part of it either if the end of the transaction cannot be seen', async () => {
    const { id } = await hold();
    const port: TransactionPort = {
      query: (text, values) => client.query(text, [...values]),
      onEnd: null,
    };
    const waiting = await inTheMiddle(id, port);
    const commit = client.query('COMMIT');
    await waiting.goOn();
    expect(await waiting.call).to.equal(ENDED);
    await commit;
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  /** Ends the transaction right behind the statement of a change, once that is answered. */
  const endsBehindChange = (end: 'COMMIT' | 'ROLLBACK'): TransactionPort => ({
    query: async (text, values) => {
      const answer = await client.query(text, [...values]);
      if (text.includes('AS result')) await client.query(end);
      return answer;
    },
    onEnd: null,
  });
  const firstCharge = async () =>
    (await app.paymount.charges.list(app.acting, { limit: 1 })).data[0];

  it('answers with the charge when the host commits between its statement and its end', async () => {
    for (const key of [undefined, 'order_1']) {
      await client.query('BEGIN');
      const port = endsBehindChange('COMMIT');
      const made = await app.paymount
        .using(port)
        .charges.create({ ...app.acting, ...(key && { idempotencyKey: key }) }, sale);
      expect(made.status).to.equal('pending');
      expect((await firstCharge())?.id).to.equal(made.id);
    }
  });

  /** Sends statements right behind that of the next change, so that they are queued there. */
  const queueBehindChange = (on: object, send: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const query: unknown = Reflect.get(on, 'query');
      assert.ok(typeof query === 'function');
      Object.assign(on, {
        query: (...args: unknown[]) => {
          const answer: unknown = Reflect.apply(query, on, args);
          const [sent] = args;
          const text: unknown = typeof sent === 'object' && sent ? Reflect.get(sent, 'text') : sent;
          if (String(text).includes('AS result')) {
            Object.assign(on, { query });
            send().then(resolve, reject);
          }
          return answer;
        },
      });
    });

  it('answers with it as well when COMMIT is queued behind its statement', async () => {
    await client.query('BEGIN');
    const commit = queueBehindChange(client, () => client.query('COMMIT'));
    const made = await app.paymount.using(client).charges.create(app.acting, sale);
    await commit;
    expect(made.status).to.equal('pending');
    await eventually(
      async () => (await app.paymount.charges.retrieve(app.acting, made.id)).status,
      (status) => status === 'succeeded',
    );
  });

  const ROLLED_BACK = [
    ['ROLLBACK TO SAVEPOINT before_it', 'COMMIT'],
    ['ROLLBACK', 'COMMIT'],
    ['ROLLBACK AND CHAIN', 'COMMIT'],
  ];
  it('throws when the host rolls back there, also to a savepoint, and then commits', async () => {
    const newest = await firstCharge();
    const port: TransactionPort = {
      query: (text, values) => client.query(text, [...values]),
      onEnd: null,
    };
    const ways = ROLLED_BACK.flatMap((texts) => [client, port].map((to) => ({ texts, to })));
    for (const { texts, to } of ways) {
      await client.query("BEGIN; INSERT INTO orders VALUES ('o_' || gen_random_uuid())");
      await client.query('SAVEPOINT before_it');
      const ended = queueBehindChange(client, () =>
        Promise.all(texts.map((text) => client.query(text))),
      );
      const call = app.paymount.using(to).charges.create(app.acting, sale);
      expect(await call.catch(String), texts[0]).to.equal(ENDED);
      await ended;
      expect(await firstCharge()).to.deep.equal(newest);
    }
    const orphans = await pool.query(
      'SELECT FROM paymount.operations o LEFT JOIN paymount.charges c ON c.id = o.charge_id WHERE c.id IS NULL',
    );
    expect(orphans.rowCount).to.equal(0);
  });

  it('says at once when a savepoint around the call ends in the middle of it', async () => {
    const newest = await firstCharge();
    for (const end of ['ROLLBACK TO SAVEPOINT before_it', 'RELEASE SAVEPOINT before_it']) {
      await client.query('BEGIN; SAVEPOINT outer_one; SAVEPOINT before_it');
      const ended = queueBehindChange(client, () => client.query(end));
      const startedMs = performance.now();
      const call = app.paymount.using(client).charges.create(app.acting, sale);
      expect(await call.catch(String)).to.equal(OUTCOME_UNKNOWN);
      // It would wait 3 s for an end that is on its way.
      expect(performance.now() - startedMs).to.be.below(3_000);
      await ended;
      expect(await rejectionCode(client.query('SELECT 1'))).to.include({ code: '25P02' });
      await client.query('ROLLBACK TO SAVEPOINT outer_one');
      await client.query('COMMIT');
      expect(await firstCharge()).to.deep.equal(newest);
    }
  });

  it('answers when only what came before it is rolled back, and the charge is committed', async () => {
    await client.query('BEGIN; SAVEPOINT before_it');
    const { charges } = app.paymount.using(client);
    await charges.create(app.acting, sale);
    await client.query('ROLLBACK TO SAVEPOINT before_it');
    const commit = queueBehindChange(client, () => client.query('COMMIT'));
    const made = await charges.create(app.acting, sale);
    await commit;
    expect((await firstCharge())?.id).to.equal(made.id);
  });

  it('returns an error when it is unknown whether it committed, and the idempotency key shows the result', async () => {
    const knex = createKnex({
      client: 'pg',
      connection: app.databaseUrl,
      pool: { min: 0, max: 1 },
    });
    const keyed = { ...app.acting, idempotencyKey: 'order_nested' };
    await knex.transaction(async (trx) => {
      const nested = await trx.transaction();
      const connection: unknown = await nested.client.acquireConnection();
      assert.ok(typeof connection === 'object' && connection);
      const ended = queueBehindChange(connection, async () => nested.commit());
      const call = app.paymount.using(nested).charges.create(keyed, sale);
      expect(await call.catch(String)).to.equal(OUTCOME_UNKNOWN);
      await ended;
    });
    await knex.destroy();
    const newest = await firstCharge();
    expect(await app.paymount.charges.create(keyed, sale)).to.include({ id: newest?.id });
  });

  it('throws when the host rolls back there, as nothing is left', async () => {
    const newest = await firstCharge();
    await client.query('BEGIN');
    const port = endsBehindChange('ROLLBACK');
    const call = app.paymount.using(port).charges.create(app.acting, sale);
    expect(await call.catch(String)).to.equal(ENDED);
    expect(await firstCharge()).to.deep.equal(newest);
  });

  it('reads times whatever style the host has set, and gives the style back', async () => {
    await client.query('BEGIN');
    await client.query("SET LOCAL datestyle = 'German, DMY'");
    const { charges } = app.paymount.using(client);
    const made = await charges.create(app.acting, sale);
    expect((await charges.retrieve(app.acting, made.id)).created).to.equal(made.created);
    const { rows } = await client.query('SHOW datestyle');
    expect(rows).to.deep.equal([{ DateStyle: 'German, DMY' }]);
    await client.query('COMMIT');
  });

  it('keeps its connection when a column cannot be read', async () => {
    const { id } = await hold();
    const created = (at: string) =>
      pool.query('UPDATE paymount.charges SET created = $2 WHERE id = $1', [id, at]);
    await created('infinity');
    await client.query('BEGIN');
    const call = app.paymount.using(client).charges.retrieve(app.acting, id);
    expect(await call.catch(String)).to.equal('RangeError: A column holds the time infinity.');
    await client.query("INSERT INTO orders VALUES ('o_unread')");
    await client.query('COMMIT');
    await created('2026-11-01');
    const kept = await pool.query("SELECT FROM orders WHERE id = 'o_unread'");
    expect(kept.rowCount).to.equal(1);
  });

  it('says what to do in an aborted transaction, and in a read-only one', async () => {
    const { id } = await hold();
    await client.query('BEGIN');
    await client.query('SELECT 1/0').catch(() => undefined);
    expect(
      await app.paymount.using(client).charges.retrieve(app.acting, id).catch(String),
    ).to.equal(
      'Error: The current transaction is aborted, because a statement in it failed. Roll it back, or back to ' +
        'a savepoint before that statement, and call again.',
    );
    await client.query('ROLLBACK');
    await client.query('BEGIN READ ONLY');
    const { charges } = app.paymount.using(client);
    expect((await charges.retrieve(app.acting, id)).id).to.equal(id);
    expect(await charges.capture(app.acting, id).catch(String)).to.equal(
      'Error: This transaction is read only, and the call changes something. Begin it READ WRITE.',
    );
    await client.query('COMMIT');
  });

  it('takes statements of the host at any time', async () => {
    const held = [await hold(), await hold()] as const;
    await client.query('BEGIN');
    const { charges } = app.paymount.using(client);
    const insert = (id: string) => client.query('INSERT INTO orders VALUES ($1)', [id]);
    await Promise.all([
      insert('o_first'),
      charges.capture(app.acting, held[0].id),
      insert('o_second'),
      charges.capture(app.acting, held[1].id),
    ]);
    await client.query('COMMIT');
    const orders = await pool.query("SELECT id FROM orders WHERE id IN ('o_first', 'o_second')");
    expect(orders.rowCount).to.equal(2);
    for (const { id } of held)
      expect(await listOperations(id)).to.deep.equal(['authorize', 'capture']);
  });

  it('undoes a call in the middle of which a statement of the host fails, and goes on', async () => {
    const { id } = await hold();
    const waiting = await inTheMiddle(id);
    const failed = rejectionCode(client.query('INSERT INTO orders VALUES (NULL)'));
    await waiting.goOn();
    expect(await failed).to.include({ code: '23502' });
    expect(await waiting.call).to.match(/current transaction is aborted/);
    await client.query("INSERT INTO orders VALUES ('o_after')");
    await client.query('COMMIT');
    expect((await pool.query("SELECT FROM orders WHERE id = 'o_after'")).rowCount).to.equal(1);
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  it('goes on after the commit when two were bound to it, once for each charge', async () => {
    await client.query('BEGIN');
    const made = await Promise.all([
      app.paymount.using(client).charges.create(app.acting, sale),
      app.paymount.using(client).charges.create(app.acting, sale),
    ]);
    await client.query('COMMIT');
    for (const { id } of made) {
      await eventually(
        async () => (await app.paymount.charges.retrieve(app.acting, id)).status,
        (status) => status === 'succeeded',
      );
      const attempts = 'SELECT attempt FROM paymount.operations WHERE subject_id = $1';
      expect((await pool.query(attempts, [id])).rows).to.deep.equal([{ attempt: 1 }]);
    }
  });
});

describe('what goes on after a transaction of which nobody tells the end', () => {
  it('is not waited for by close()', async () => {
    const app = await startApp();
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    const port: TransactionPort = {
      query: (text, values) => client.query(text, [...values]),
      onEnd: null,
    };
    const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
    await app.paymount.using(port).charges.create(app.acting, sale);
    await client.query('COMMIT');
    await client.end();
    const startedMs = performance.now();
    await app.close();
    expect(performance.now() - startedMs).to.be.below(CLOSE_LIMIT_MS);
  });
});

describe('plain SQL in a hook', () => {
  it('commits with the result, and is refused once the hook has ended', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const app = await startApp({
      paymount: {
        hook: async (trx, settled: HookPayload) => {
          if (!('charge' in settled)) return;
          const { charge } = settled;
          const { rows } = await trx.query(
            'INSERT INTO paid VALUES ($1, $2) RETURNING charge, amount',
            [charge.id, charge.amount],
          );
          expect(rows).to.deep.equal([{ charge: charge.id, amount: 4200 }]);
          late = trx.executionPromise.then(() => trx.query('DELETE FROM paid')).catch(String);
        },
      },
    });
    const pool = new pg.Pool({ connectionString: app.databaseUrl });
    await pool.query('CREATE TABLE paid (charge text PRIMARY KEY, amount integer)');
    const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id, status } = await app.paymount.charges.create(app.acting, sale);
    expect(status).to.equal('succeeded');
    expect(await late).to.equal('Error: This transaction of the hook has ended.');
    expect((await pool.query('SELECT * FROM paid')).rows).to.deep.equal([
      { charge: id, amount: 4200 },
    ]);
    await pool.end();
    await app.close();
  });
});
