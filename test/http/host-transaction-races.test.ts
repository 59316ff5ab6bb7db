import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const ROUNDS = 200;

const LOCKED =
  'PaymountError: Another request or transaction holds a lock that this request needs. It waited ' +
  'up to three seconds; try again later. If it happens again, look for a transaction that stays ' +
  'open, such as a transaction of the host that has called Paymount. Its locks are held until it ends.';

/** What a call was refused with, the limit of the host after it, milliseconds. */
type Waited = readonly [refused: unknown, limit: string, waitedMs: number];

describe("calls at once on one transaction of the host's", () => {
  let app: TestApp;
  let knex: Knex;
  let hook: (trx: Knex.Transaction, settled: HookPayload) => Promise<void> = async () => undefined;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  const hold = () => app.paymount.charges.create(app.acting, { ...sale, capture: false });

  before(async () => {
    app = await startApp({ paymount: { hook: (trx, settled) => hook(trx, settled) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
    await knex.raw('CREATE TABLE orders (id text PRIMARY KEY)');
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  afterEach(() => {
    hook = async () => undefined;
  });

  const listOperations = async (subject: string): Promise<string[]> =>
    (await knex('paymount.operations').where({ subject_id: subject }).orderBy('id')).map(
      (row) => row.kind,
    );

  it(`keeps what was answered when a sibling is refused, in ${ROUNDS} rounds`, async () => {
    const charges = await Promise.all(Array.from({ length: 8 }, hold));
    const lost: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const held = charges[round % charges.length]?.id ?? '';
      const committed = await knex.transaction(async (trx) => {
        const { charges: inside, refunds } = app.paymount.using(trx);
        const capture = () => inside.capture(app.acting, held, { amount: 4200 });
        // Refused under a row lock, after some reads, or at once: each interleaves in its own way.
        const others = [
          () => refunds.create(app.acting, { charge: held, amount: 1 }),
          () => inside.capture(app.acting, 'ch_00000000000000000000000000'),
          () => inside.update(app.acting, held, { metadata: { round: String(round) } }),
        ];
        const other = () => rejectionCode(others[round % others.length]?.() ?? Promise.resolve());
        await Promise.all(round % 2 === 0 ? [capture(), other()] : [other(), capture()]);
        // Nothing may reach the processor, so that the next round finds the charge as it was.
        const intents: number = await trx('paymount.operations')
          .where({ subject_id: held, kind: 'capture', state: 'created' })
          .update({ state: 'failed', next_lookup_at: null });
        return intents;
      });
      if (committed !== 1) lost.push(round);
    }
    expect(lost).to.deep.equal([]);
    expect(await knex('paymount.operations').where({ kind: 'capture' })).to.have.length(ROUNDS);
  });

  it('commits each of many calls that were answered, and nothing of those refused', async () => {
    const held = await Promise.all(Array.from({ length: 6 }, hold));
    const made = await knex.transaction(async (trx) => {
      const { charges, refunds, webhookEndpoints } = app.paymount.using(trx);
      const answers = await Promise.allSettled([
        ...held.map(({ id }) => charges.capture(app.acting, id)),
        ...held.map(({ id }) => refunds.create(app.acting, { charge: id, amount: 4300 })),
        ...held.map(() => charges.create(app.acting, sale)),
        charges.retrieve(app.acting, 'ch_00000000000000000000000000'),
        webhookEndpoints.create(app.acting, { url: 'http://127.0.0.1:9/', enabled_events: ['*'] }),
      ]);
      return answers;
    });
    expect(made.map(({ status }) => status)).to.deep.equal([
      ...held.map(() => 'fulfilled'),
      ...held.map(() => 'rejected'),
      ...held.map(() => 'fulfilled'),
      'rejected',
      'fulfilled',
    ]);
    for (const { id } of held)
      expect(await listOperations(id)).to.deep.equal(['authorize', 'capture']);
  });

  it('lets calls of one transaction meet, however each of them was bound to it', async () => {
    const held = [await hold(), await hold(), await hold()] as const;
    await knex.transaction(async (trx) => {
      await trx.transaction(async (nested) => {
        const calls = [trx, nested, trx].flatMap((to, which) => {
          const { charges } = app.paymount.using(to);
          const id = held[which]?.id ?? '';
          return [charges.capture(app.acting, id), charges.cancel(app.acting, 'ch_none')].map(
            rejectionCode,
          );
        });
        const answers = ['no error', 'resource_missing'];
        expect(await Promise.all(calls)).to.deep.equal([...answers, ...answers, ...answers]);
      });
    });
    for (const { id } of held)
      expect(await listOperations(id)).to.deep.equal(['authorize', 'capture']);
  });

  it('lets a hook make several calls at once, in the transaction of the result', async () => {
    const notes = [await hold(), await hold()] as const;
    hook = async (trx, settled) => {
      if (settled.kind !== 'charge' || settled.charge.amount !== 1500) return;
      const { charges, webhookEndpoints } = app.paymount.using(trx);
      const metadata = { paid_with: settled.charge.id };
      const [first, ...others] = await Promise.allSettled([
        charges.update(app.acting, notes[0].id, { metadata }),
        charges.capture(app.acting, notes[1].id, { amount: 9_000 }),
        charges.update(app.acting, notes[1].id, { metadata }),
        webhookEndpoints.create(app.acting, { url: 'http://127.0.0.1:9/', enabled_events: ['*'] }),
      ]);
      expect(first?.status).to.equal('fulfilled');
      expect(others.map(({ status }) => status)).to.deep.equal([
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
    };
    const paid = await app.paymount.charges.create(app.acting, { ...sale, amount: 1500 });
    expect(paid.status).to.equal('succeeded');
    for (const { id } of notes) {
      const { metadata } = await app.paymount.charges.retrieve(app.acting, id);
      expect(metadata).to.deep.equal({ paid_with: paid.id });
    }
  });

  it('refuses a call on a transaction that has ended, and leaves others on its connection alone', async () => {
    const { id } = await hold();
    const single = createKnex({
      client: 'pg',
      connection: app.databaseUrl,
      pool: { min: 0, max: 1 },
    });
    const ended = await single.transaction(async (trx) => app.paymount.using(trx));
    await single.transaction(async (stranger) => {
      const late = ended.charges.capture(app.acting, id).catch(String);
      for (let row = 0; row < 10; row += 1) await stranger('orders').insert({ id: `o_${row}` });
      expect(await late).to.match(/This transaction has ended/);
    });
    expect(await knex('orders')).to.have.length(10);
    expect(await listOperations(id)).to.deep.equal(['authorize']);
    await single.destroy();
  });

  it('refuses a call whose turn comes after the end of the transaction', async () => {
    const { id } = await hold();
    let calls: Promise<unknown>[] = [];
    await knex.transaction(async (trx) => {
      const { charges } = app.paymount.using(trx);
      calls = Array.from({ length: 5 }, () => charges.capture(app.acting, id).catch(String));
    });
    const answers = await Promise.all(calls);
    expect(new Set(answers)).to.deep.equal(
      new Set(['Error: This transaction has ended; nothing more can be done in it.']),
    );
  });

  it('refuses to be bound to a value that is not a transaction, and says what to pass', async () => {
    const notBound = (to: unknown) => () => app.paymount.using(to as Knex.Transaction);
    for (const wrong of [knex, undefined, {}, knex.client])
      expect(notBound(wrong)).to.throw(TypeError, 'the `trx` of `knex.transaction(');
    // None of the pool's four connections was taken.
    await Promise.all(Array.from({ length: 4 }, () => knex.raw('SELECT pg_sleep(0.01)')));
  });

  it('refuses a transaction that would not see what others committed, and leaves it usable', async () => {
    const { id } = await hold();
    for (const isolationLevel of ['repeatable read', 'serializable'] as const) {
      const refusal = knex.transaction(
        async (trx) => {
          const { charges } = app.paymount.using(trx);
          const said = await charges.capture(app.acting, id).catch(String);
          await trx.raw('SELECT 1');
          return said;
        },
        { isolationLevel },
      );
      expect(await refusal).to.match(new RegExp(`is ${isolationLevel}.*in read committed alone`));
    }
    expect(await listOperations(id)).to.deep.equal(['authorize']);
  });

  it('waits 3 s for a lock in it, leaves it usable, and gives it its own limit back', async () => {
    const free = await hold();
    const readLockLimit = async (trx: Knex.Transaction): Promise<string> =>
      (await trx.raw('SHOW lock_timeout')).rows[0].lock_timeout;
    const within = async (own: string, locked: string): Promise<Waited> => {
      const startedMs = performance.now();
      return knex.transaction(async (trx) => {
        await trx.raw(`SET LOCAL lock_timeout = '${own}'`);
        const { charges } = app.paymount.using(trx);
        const refused = await charges.capture(app.acting, locked).catch(String);
        const waitedMs = performance.now() - startedMs;
        await charges.update(app.acting, free.id, { metadata: { own } });
        return [refused, await readLockLimit(trx), waitedMs] as const;
      });
    };
    // One each: who queues for a row lock waits for two locks.
    const locked = [await hold(), await hold(), await hold()] as const;
    await knex.transaction(async (holder) => {
      const ids = locked.map(({ id }) => id);
      await holder('paymount.charges').whereIn('id', ids).forUpdate();
      const waits = await Promise.all([
        within('0', locked[0].id),
        within('1h', locked[1].id),
        within('200ms', locked[2].id),
      ]);
      expect(waits.map(([refused, limit]) => [refused, limit])).to.deep.equal([
        [LOCKED, '0'],
        [LOCKED, '1h'],
        [LOCKED, '200ms'],
      ]);
      for (const [, , waitedMs] of waits.slice(0, 2)) expect(waitedMs).to.be.within(2_900, 5_900);
      expect(waits[2]?.[2]).to.be.within(190, 2_500);
    });
  });

  it('throws the error of the database when two transactions wait for each other', async () => {
    const [one, other] = [await hold(), await hold()];
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    let waiting = 2;
    const lockBoth = (first: string, second: string): Promise<unknown> =>
      knex.transaction(async (trx) => {
        const { charges } = app.paymount.using(trx);
        await charges.update(app.acting, first, { metadata: { first } });
        waiting -= 1;
        if (waiting === 0) meet();
        await met;
        return rejectionCode(charges.update(app.acting, second, { metadata: { first } }));
      });
    const ended = await Promise.all([lockBoth(one.id, other.id), lockBoth(other.id, one.id)]);
    expect(ended.filter((end) => end === 'no error')).to.have.length(1);
    expect(ended.find((end) => end !== 'no error')).to.include({ code: '40P01' });
  });
});
