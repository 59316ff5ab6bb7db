import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

/** 54,000 bytes as JSON: the largest metadata that an object has. Five of them do not fit in one event. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`${at}`.padStart(40, 'k'), 'ä'.repeat(500)]),
);

describe('A subscription whose event is as large as it may be', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let clock: string;
  let later: string;
  let prices: string[];
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
    clock = await shop.clock('2030-01-31T12:00:00.000Z');
    later = await shop.clock('2030-01-31T12:00:00.000Z');
    prices = [];
    for (let made = 0; made < 5; made += 1) prices.push(await shop.newPrice(1_000));
  });
  after(() => app.close());
  const subscribe = async () =>
    shop.make('/v1/subscriptions', {
      customer: await shop.customer(clock),
      items: prices.map((price) => ({ price })),
    });

  it('refuses metadata with which a later event would not be recorded', async () => {
    const made = await subscribe();
    const path = `/v1/subscriptions/${String(made['id'])}`;
    const { data } = made['items'] as { data: { id: string }[] };
    for (const { id } of data.slice(0, 4)) {
      await shop.make(`/v1/subscription_items/${id}`, { metadata: METADATA });
    }
    const last = `/v1/subscription_items/${String(data[4]?.id)}`;
    expect(await shop.refusal(last, { metadata: METADATA })).to.deep.equal([
      400,
      'object_too_large',
      undefined,
    ]);
    expect(await shop.refusal(path, { metadata: METADATA })).to.deep.equal([
      400,
      'object_too_large',
      undefined,
    ]);
  });

  it('refuses metadata with which a change that waits would not be recorded', async () => {
    const made = await subscribe();
    const path = `/v1/subscriptions/${String(made['id'])}`;
    const { data } = made['items'] as { data: { id: string }[] };
    for (const { id } of data.slice(0, 4)) {
      await shop.make(`/v1/subscription_items/${id}`, { metadata: METADATA });
    }
    const change = (more: object) => ({
      items: [{ id: data[4]?.id, ...more }],
      apply_at: 'period_end',
    });
    expect(await shop.refusal(path, change({ metadata: METADATA }))).to.deep.equal([
      400,
      'object_too_large',
      undefined,
    ]);
    await shop.make(path, change({ quantity: 2 }));
  });

  it('is renewed and ends when its items have more metadata than fits; the events leave them out', async () => {
    const made = await shop.make('/v1/subscriptions', {
      customer: await shop.customer(later),
      items: prices.map((price) => ({ price })),
    });
    // As a version that did not measure what waits could leave it.
    await query(
      app.databaseUrl,
      `UPDATE paymount.subscriptions SET items = (SELECT jsonb_agg(jsonb_set(item, '{metadata}', $2))
        FROM jsonb_array_elements(items) item) WHERE id = $1`,
      [made['id'], JSON.stringify(METADATA)],
    );
    await shop.advance(later, '2030-02-28T12:00:00.000Z');
    expect(await shop.subscription(made['id'])).to.include({ status: 'active', period_index: 1 });
    const ended = await shop.delete(`/v1/subscriptions/${String(made['id'])}`);
    expect(ended.json).to.include({ status: 'canceled' });
    const events = await query<{ body: string }>(
      app.databaseUrl,
      `SELECT body FROM paymount.events WHERE type <> 'subscription.created' AND object_id = $1 ORDER BY id`,
      [made['id']],
    );
    const shown = events.map(({ body }) => {
      const { type, data } = JSON.parse(body);
      return [type, data.object.items.data.map((item: { metadata: object }) => item.metadata)];
    });
    expect(shown).to.deep.equal([
      ['subscription.renewed', Array(5).fill({})],
      ['subscription.canceled', Array(5).fill({})],
    ]);
  });

  it('is renewed when its prices have got more metadata than fits; the event leaves it out', async () => {
    const made = await subscribe();
    for (const price of prices) await shop.make(`/v1/prices/${price}`, { metadata: METADATA });
    await shop.advance(clock, '2030-02-28T12:00:00.000Z');
    expect(await shop.subscription(made['id'])).to.include({ status: 'active', period_index: 1 });
    const [event] = await query<{ body: string }>(
      app.databaseUrl,
      `SELECT body FROM paymount.events WHERE type = 'subscription.renewed' AND object_id = $1`,
      [made['id']],
    );
    const { items } = JSON.parse(event?.body ?? '{}').data.object;
    const shown = items.data.map(({ price }: { price: Record<string, unknown> }) => [
      price['unit_amount'],
      price['metadata'],
    ]);
    expect(shown).to.deep.equal(Array(5).fill([1_000, {}]));
  });
});
