import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { Acting } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { postForm } from '../support/ask.ts';
import { rejectionCode } from '../support/rejection-code.ts';

describe("idempotency keys of the host's own calls", () => {
  let app: TestApp;
  let knex: Knex;
  const acting = (idempotencyKey?: string): Acting => ({
    account: app.account,
    environment: 'test',
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

  before(async () => {
    app = await startApp();
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const chargesSoFar = async (): Promise<number> => (await knex('paymount.charges')).length;

  it('charges once, and answers a repetition the same', async () => {
    const before = await chargesSoFar();
    const key = randomUUID();
    const first = await app.paymount.charges.create(acting(key), sale);
    const again = await app.paymount.charges.create(acting(key), sale);
    expect(first.status).to.equal('succeeded');
    expect(again).to.deep.equal(first);
    expect(await chargesSoFar()).to.equal(before + 1);
  });

  it('charges once when the same call is made ten times at once', async () => {
    const before = await chargesSoFar();
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        rejectionCode(app.paymount.charges.create(acting(key), sale)),
      ),
    );
    expect(new Set(answers)).to.deep.equal(new Set(['no error', 'idempotency_key_in_use']));
    expect(await chargesSoFar()).to.equal(before + 1);
  });

  it('throws the refusal of the first call again', async () => {
    const key = randomUUID();
    const declined = { ...sale, payment_method: 'pm_card_visa_chargeDeclined' };
    const create = (): Promise<unknown> =>
      app.paymount.charges.create(acting(key), declined).catch((error: unknown) => error);
    const first = await create();
    const again = await create();
    const { id } = await knex('paymount.charges').orderBy('id', 'desc').first('id');
    for (const error of [first, again])
      expect(error).to.deep.include({
        name: 'PaymountError',
        code: 'card_declined',
        message: 'Your card was declined.',
        declineCode: 'generic_decline',
        extra: { charge: id },
      });
  });

  it('refuses a key that was used with other parameters or on another route, or is invalid', async () => {
    const key = randomUUID();
    const { id } = await app.paymount.charges.create(acting(key), { ...sale, capture: false });
    const { charges } = app.paymount;
    const refused = await Promise.all([
      rejectionCode(charges.create(acting(key), { ...sale, amount: 4300 })),
      rejectionCode(charges.capture(acting(key), id)),
      rejectionCode(charges.capture(acting('not ASCII: é'), id)),
      rejectionCode(charges.capture(acting(''), id)),
      rejectionCode(charges.capture({ ...acting(), idempotencyKey: 1 as never }, id)),
    ]);
    expect(refused).to.deep.equal([
      'idempotency_key_mismatch',
      'idempotency_key_mismatch',
      'idempotency_key_invalid',
      'idempotency_key_invalid',
      'idempotency_key_invalid',
    ]);
  });

  it('keeps apart from the keys of the merchant', async () => {
    const key = randomUUID();
    const fields = 'amount=4200&currency=eur&payment_method=pm_card_visa';
    const headers = { 'Idempotency-Key': key };
    const theirs = await postForm(`${app.url}/v1/charges`, fields, { key: app.secretKey, headers });
    const ours = await app.paymount.charges.create(acting(key), sale);
    expect(theirs.status).to.equal(200);
    expect(ours.id).not.to.equal(theirs.json['id']);
  });

  it('works for every call that changes something', async () => {
    const { charges, refunds, paymentMethods, webhookEndpoints } = app.paymount;
    const held = await charges.create(acting(), { ...sale, capture: false });
    const other = await charges.create(acting(), { ...sale, capture: false });
    const twice = async (call: (as: Acting) => Promise<unknown>): Promise<void> => {
      const as = acting(randomUUID());
      const first = await call(as);
      expect(await call(as)).to.deep.equal(first);
    };
    await twice((as) => charges.update(as, held.id, { metadata: { order: '1' } }));
    await twice((as) => charges.capture(as, held.id));
    await twice((as) => charges.cancel(as, other.id));
    await twice((as) => refunds.create(as, { charge: held.id, amount: 100 }));
    await twice((as) => paymentMethods.create(as, { type: 'card', card: { token: 'tok_visa' } }));
    const url = 'http://127.0.0.1:9/';
    const as = acting(randomUUID());
    const made = await webhookEndpoints.create(as, { url, enabled_events: ['*'] });
    // The answer is kept sealed, as it shows the secret.
    expect(await webhookEndpoints.create(as, { url, enabled_events: ['*'] })).to.deep.equal(made);
    expect(made.secret).to.match(/^whsec_/);
    await twice((to) => webhookEndpoints.delete(to, made.id));
  });

  describe('under using(trx)', () => {
    it('answers a repetition with the same pending charge, in the transaction and after it', async () => {
      const before = await chargesSoFar();
      const key = randomUUID();
      const create = (to: Pick<TestApp['paymount'], 'charges'>) =>
        to.charges.create(acting(key), sale);
      const [first, again] = await knex.transaction(async (trx) => {
        const joined = app.paymount.using(trx);
        return Promise.all([create(joined), create(joined)]);
      });
      await app.worker.drain();
      expect(first.status).to.equal('pending');
      expect(again).to.deep.equal(first);
      expect(await create(app.paymount)).to.deep.equal(first);
      const later = await knex.transaction(async (trx) => create(app.paymount.using(trx)));
      expect(later).to.deep.equal(first);
      expect(await chargesSoFar()).to.equal(before + 1);
    });

    it('answers captures and refunds alike', async () => {
      const { charges } = app.paymount;
      const held = await charges.create(acting(), { ...sale, capture: false });
      const paid = await charges.create(acting(), sale);
      const keys = [randomUUID(), randomUUID()] as const;
      const both = () =>
        knex.transaction(async (trx) => {
          const to = app.paymount.using(trx);
          const capture = await to.charges.capture(acting(keys[0]), held.id);
          const refund = await to.refunds.create(acting(keys[1]), { charge: paid.id });
          return { capture, refund };
        });
      const first = await both();
      expect(await both()).to.deep.equal(first);
      const kinds = await knex('paymount.operations')
        .whereIn('charge_id', [held.id, paid.id])
        .orderBy('id')
        .pluck('kind');
      expect(kinds).to.deep.equal(['authorize', 'authorize', 'capture', 'refund']);
    });

    it('frees the key when the host rolls back', async () => {
      const before = await chargesSoFar();
      const key = randomUUID();
      const trial = knex.transaction(async (trx) => {
        await app.paymount.using(trx).charges.create(acting(key), sale);
        throw new Error('the host changed its mind');
      });
      await trial.catch(() => undefined);
      const made = await knex.transaction(async (trx) =>
        app.paymount.using(trx).charges.create(acting(key), { ...sale, amount: 4300 }),
      );
      expect(made.amount).to.equal(4300);
      expect(await chargesSoFar()).to.equal(before + 1);
    });

    it('lets the second of two transactions wait for the first, and answer as it did', async () => {
      const before = await chargesSoFar();
      const key = randomUUID();
      const answers = await Promise.all(
        [1, 2].map(() =>
          knex.transaction(async (trx) =>
            app.paymount.using(trx).charges.create(acting(key), sale),
          ),
        ),
      );
      expect(answers[0]).to.deep.equal(answers[1]);
      expect(await chargesSoFar()).to.equal(before + 1);
    });
  });
});
