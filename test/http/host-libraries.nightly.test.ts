import { expect } from 'chai';
import { startWorker } from 'paymount/worker';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import {
  HOST_LIBRARIES,
  type HostLibrary,
  loadShownFunctions,
  type ShownFunctions,
} from './host-libraries.ts';

const ROUNDS = 20;
const NO_END = 'a port that tells no end';
const MISSING = 'ch_00000000000000000000000000';

describe("a host's transaction, whatever library holds it", () => {
  let app: TestApp;
  let pool: pg.Pool;
  let shown: ShownFunctions;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  const hold = () => app.paymount.charges.create(app.acting, { ...sale, capture: false });

  before(async () => {
    app = await startApp();
    // So that what goes on by itself is told from what a worker finds.
    await app.worker.close();
    pool = new pg.Pool({ connectionString: app.databaseUrl, max: 4 });
    await pool.query('CREATE TABLE orders (id text PRIMARY KEY, charge text, state text NOT NULL)');
    shown = await loadShownFunctions();
  });
  after(async () => {
    await shown.remove();
    await pool.end();
    await app.close();
  });

  const drain = async (): Promise<void> => {
    const worker = await startWorker(app.paymount);
    await worker.drain();
    await worker.close();
  };
  const readStatus = async (id: string): Promise<string> =>
    (await app.paymount.charges.retrieve(app.acting, id)).status;
  const listOperations = async (subject: string): Promise<string[]> =>
    (
      await pool.query(
        'SELECT kind, state FROM paymount.operations WHERE subject_id = $1 ORDER BY id',
        [subject],
      )
    ).rows.map(({ kind, state }) => `${kind} ${state}`);
  const listOrders = async (charge: string): Promise<string[]> =>
    (await pool.query('SELECT id FROM orders WHERE charge = $1', [charge])).rows.map(
      ({ id }) => id,
    );

  for (const [name, open] of Object.entries(HOST_LIBRARIES)) {
    describe(name, () => {
      let library: HostLibrary;
      before(async () => {
        library = await open(app.databaseUrl, shown);
      });
      after(() => library.close());

      const place = (id: string, charge: string): string =>
        `INSERT INTO orders VALUES ('${id} of ${name}', '${charge}', 'waiting')`;

      it('commits an order with the intent of its charge, and goes on after the commit', async () => {
        const charge = await library.transaction(async ({ transaction, execute }) => {
          const intent = await app.paymount.using(transaction).charges.create(app.acting, sale);
          await execute(place('o_paid', intent.id));
          return intent;
        });
        expect(charge.status).to.equal('pending');
        expect(await listOrders(charge.id)).to.deep.equal([`o_paid of ${name}`]);
        if (name === NO_END) {
          // Nobody was told of the commit: a worker goes on when the grace of 10 s is over.
          expect(await listOperations(charge.id)).to.deep.equal(['authorize created']);
          const due = await pool.query(
            `UPDATE paymount.operations SET next_lookup_at = 'epoch' WHERE subject_id = $1
              AND next_lookup_at <= created + interval '11 s'`,
            [charge.id],
          );
          expect(due.rowCount).to.equal(1);
          await drain();
        }
        await eventually(
          () => readStatus(charge.id),
          (status) => status === 'succeeded',
        );
      });

      it('rolls both back, and charges no card', async () => {
        const changedMind = new Error('the host changed its mind');
        let id = '';
        const work = library.transaction(async ({ transaction, execute }) => {
          const { charges, webhookEndpoints } = app.paymount.using(transaction);
          ({ id } = await charges.create(app.acting, sale));
          await execute(place('o_undone', id));
          await webhookEndpoints.create(app.acting, {
            url: 'http://127.0.0.1:9/undone',
            enabled_events: ['payout.paid'],
          });
          throw changedMind;
        });
        expect(await work.catch((error: unknown) => error)).to.equal(changedMind);
        await drain();
        expect(await rejectionCode(app.paymount.charges.retrieve(app.acting, id))).to.equal(
          'resource_missing',
        );
        expect(await listOperations(id)).to.deep.equal([]);
        expect(await listOrders(id)).to.deep.equal([]);
        const endpoints = await pool.query(
          "SELECT FROM paymount.webhook_endpoints WHERE url LIKE '%/undone'",
        );
        expect(endpoints.rowCount).to.equal(0);
      });

      it("undoes a call with the host's savepoint", async () => {
        const ids = await library.transaction(async ({ transaction, execute }) => {
          const { charges } = app.paymount.using(transaction);
          const kept = await charges.create(app.acting, sale);
          await execute('SAVEPOINT attempt');
          const undone = await charges.create(app.acting, sale);
          await execute('ROLLBACK TO SAVEPOINT attempt');
          return { kept: kept.id, undone: undone.id };
        });
        expect(await rejectionCode(app.paymount.charges.retrieve(app.acting, ids.undone))).to.equal(
          'resource_missing',
        );
        expect((await listOperations(ids.kept)).length).to.equal(1);
      });

      it('answers the same objects as outside, of every type of column', async () => {
        const held = await app.paymount.charges.create(app.acting, {
          ...sale,
          capture: false,
          description: '2026-11-01 09:30:00+00',
          metadata: { order: '"{o_1}\\', note: '$1' },
        });
        const captured = await app.paymount.charges.capture(app.acting, held.id, { amount: 4000 });
        const declined = await app.paymount.charges.create(app.acting, sale);
        const acted = { ...app.acting, idempotencyKey: `refund ${name}` };
        const made = await library.transaction(async ({ transaction }) => {
          const { charges, refunds, webhookEndpoints } = app.paymount.using(transaction);
          const charge = await charges.retrieve(app.acting, held.id);
          const refund = await refunds.create(acted, { charge: held.id, amount: 40 });
          expect(await refunds.create(acted, { charge: held.id, amount: 40 })).to.deep.equal(
            refund,
          );
          expect(await refunds.retrieve(app.acting, refund.id)).to.deep.equal(refund);
          expect(await charges.retrieve(app.acting, declined.id)).to.deep.equal(declined);
          const endpoint = await webhookEndpoints.create(app.acting, {
            url: 'http://127.0.0.1:9/hook',
            enabled_events: ['payout.paid', 'charge.*'],
            metadata: { of: name },
          });
          return { charge, refund, endpoint };
        });
        expect(made.charge).to.deep.equal(captured);
        expect(made.refund).to.include({ amount: 40, status: 'pending', charge: held.id });
        const stored = await pool.query(
          'SELECT enabled_events, metadata FROM paymount.webhook_endpoints WHERE id = $1',
          [made.endpoint.id],
        );
        expect(stored.rows).to.deep.equal([
          { enabled_events: ['payout.paid', 'charge.*'], metadata: { of: name } },
        ]);
      });

      it('lists and edits as outside', async () => {
        const charge = await app.paymount.charges.create(app.acting, sale);
        const since = {
          created: { gte: charge.created },
          status: 'succeeded',
          limit: 100,
        } as const;
        const url = 'http://127.0.0.1:9/edited';
        const { id } = await app.paymount.webhookEndpoints.create(app.acting, {
          url: 'http://127.0.0.1:9/hook',
          enabled_events: ['*'],
        });
        const outside = await app.paymount.charges.list(app.acting, since);
        const inside = await library.transaction(async ({ transaction }) => {
          const { charges, webhookEndpoints } = app.paymount.using(transaction);
          const listed = await charges.list(app.acting, since);
          const missing = await rejectionCode(
            charges.list(app.acting, { starting_after: MISSING }),
          );
          const next = await charges.list(app.acting, { ending_before: charge.id, limit: 1 });
          await webhookEndpoints.update(app.acting, id, { url, enabled_events: ['charge.failed'] });
          const rotated = await webhookEndpoints.rotateSecret(app.acting, id);
          await charges.update(app.acting, charge.id, {
            metadata: { listed: String(listed.data.length) },
          });
          return { listed, missing, next, secret: rotated.secret };
        });
        expect(inside.listed).to.deep.equal(outside);
        expect(outside.data.map((each) => each.id)).to.include(charge.id);
        expect([inside.missing, inside.next.data]).to.deep.equal(['invalid_cursor', []]);
        expect(inside.secret).to.match(/^whsec_/);
        const edited = await app.paymount.webhookEndpoints.retrieve(app.acting, id);
        expect([edited.url, edited.enabled_events]).to.deep.equal([url, ['charge.failed']]);
        const { metadata } = await app.paymount.charges.retrieve(app.acting, charge.id);
        expect(Number(metadata['listed'])).to.be.greaterThan(0);
        await app.paymount.webhookEndpoints.delete(app.acting, id);
      });

      it('stays usable after a call that is refused, and keeps the refusal for its key', async () => {
        const { id } = await hold();
        const key = { ...app.acting, idempotencyKey: `refused ${name}` };
        const refusals = await library.transaction(async ({ transaction, execute }) => {
          const { charges } = app.paymount.using(transaction);
          const codes = [
            await rejectionCode(charges.capture(key, MISSING)),
            await rejectionCode(charges.capture(key, MISSING)),
            await rejectionCode(charges.capture(app.acting, id, { amount: 9_000 })),
            await rejectionCode(charges.capture(app.acting, id)),
            await rejectionCode(charges.capture(app.acting, id)),
          ];
          await execute(place('o_after', id));
          return codes;
        });
        expect(refusals).to.deep.equal([
          'resource_missing',
          'resource_missing',
          'capture_amount_exceeds_authorization',
          'no error',
          'operation_in_progress',
        ]);
        expect(await listOrders(id)).to.deep.equal([`o_after of ${name}`]);
      });

      it(`keeps what was answered when a sibling is refused, in ${ROUNDS} rounds`, async () => {
        const held = await hold();
        const lost: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const changedMind = new Error('the next round finds the charge as it was');
          const work = library.transaction(async ({ again, execute }) => {
            const capture = () =>
              app.paymount.using(again()).charges.capture(app.acting, held.id, { amount: 4200 });
            const others = [
              () =>
                app.paymount
                  .using(again())
                  .refunds.create(app.acting, { charge: held.id, amount: 1 }),
              () => app.paymount.using(again()).charges.capture(app.acting, MISSING),
            ];
            const other = () =>
              rejectionCode(others[round % others.length]?.() ?? Promise.resolve());
            await Promise.all(round % 4 < 2 ? [capture(), other()] : [other(), capture()]);
            const intents = await execute(
              `SELECT id FROM paymount.operations WHERE subject_id = '${held.id}' AND kind = 'capture'`,
            );
            if (intents.length !== 1) lost.push(round);
            throw changedMind;
          });
          expect(await work.catch((error: unknown) => error)).to.equal(changedMind);
        }
        expect(lost).to.deep.equal([]);
      });

      it('refuses calls after the end, and then writes nothing', async () => {
        const { id } = await hold();
        const late = await library.transaction(async ({ transaction }) => {
          const services = app.paymount.using(transaction);
          await services.charges.retrieve(app.acting, id);
          return services;
        });
        const refused = await late.charges.capture(app.acting, id).catch(String);
        expect(refused).to.match(/^Error: This transaction has ended/);
        expect(await listOperations(id)).to.deep.equal(['authorize done']);
      });

      it('is refused when it would not see what others committed', async () => {
        const { id } = await hold();
        const refused = await library.transaction(async ({ transaction, execute }) => {
          await execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
          const { charges } = app.paymount.using(transaction);
          const said = await charges.capture(app.acting, id).catch(String);
          await execute('SELECT 1');
          return said;
        });
        expect(refused).to.match(/is repeatable read.*in read committed alone/);
      });

      it('waits for a lock no longer than the host says, and gives the host its limit back', async () => {
        const [locked, free] = [await hold(), await hold()];
        const holder = await pool.connect();
        await holder.query('BEGIN');
        await holder.query('SELECT FROM paymount.charges WHERE id = $1 FOR UPDATE', [locked.id]);
        const waiting = library.transaction(async ({ transaction, execute }) => {
          const { charges } = app.paymount.using(transaction);
          const limit = async () => (await execute('SHOW lock_timeout'))[0]?.['lock_timeout'];
          await execute("SET LOCAL lock_timeout = '200ms'");
          const refused = await rejectionCode(charges.capture(app.acting, locked.id));
          const short = await limit();
          await execute("SET LOCAL lock_timeout = '1h'");
          await charges.update(app.acting, free.id, { metadata: { by: name } });
          return [refused, short, await limit()];
        });
        const said = await waiting.catch((error: unknown) => error);
        await holder.query('ROLLBACK');
        holder.release();
        // It rolls back a transaction of which a statement failed, whoever caught the error.
        if (name === 'postgres.js') expect(said).to.include({ code: '55P03' });
        else expect(said).to.deep.equal(['lock_timeout', '200ms', '1h']);
      });
    });
  }
});
