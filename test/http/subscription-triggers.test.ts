import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

type Json = Readonly<Record<string, unknown>>;

/** The paths of all fields of a value, without what a merchant may put into metadata. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value))
    return [...new Set(value.flatMap((each) => fieldsOf(each, `${path}[]`)))];
  if (typeof value !== 'object' || value === null || path.endsWith('metadata')) return [path];
  return Object.entries(value)
    .flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`))
    .toSorted();
}

/** What `paymount trigger` and `POST /v1/test_helpers/events` invent, beside what happens. */
describe('A triggered event of a subscription', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  /** The real events, by type. */
  const real = new Map<string, Json>();

  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
    const clock = await shop.clock('2030-04-01T00:00:00.000Z');
    const price = await shop.newPrice(1_000);
    const customer = await shop.customer(clock);
    const { id } = await shop.make('/v1/subscriptions', { customer, items: [{ price }] });
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    const declining = await shop.attach(customer, 'pm_card_visa_chargeDeclinedInsufficientFunds');
    await shop.useMethod(customer, declining);
    await shop.advance(clock, '2030-06-01T00:00:00.000Z');
    await shop.useMethod(customer, await shop.attach(customer, 'pm_card_visa'));
    await shop.advance(clock, '2030-06-01T12:00:00.000Z');
    const { status } = await shop.delete(`/v1/subscriptions/${String(id)}`);
    expect(status).to.equal(200);
    const { data } = await shop.read(`/v1/events?object_id=${String(id)}&limit=100`);
    for (const event of data as Json[]) real.set(String(event['type']), event);
  });
  after(() => app.close());

  for (const type of ['created', 'renewed', 'payment_failed', 'recovered', 'canceled']) {
    it(`of the type subscription.${type} has the fields of a real one`, async () => {
      const name = `subscription.${type}`;
      const happened = real.get(name);
      if (happened === undefined) throw new Error(`No ${name} has happened.`);
      const triggered = await shop.make('/v1/test_helpers/events', { type: name });
      expect(fieldsOf(triggered)).to.deep.equal(fieldsOf(happened));
      const objectOf = (event: Json) => (event['data'] as { object: Json }).object;
      const state = ({ status, dunning, ended_at: end, cancellation_details: why }: Json) => ({
        status,
        isDunned: dunning !== null,
        isOver: end !== null,
        reason: (why as Json)['reason'],
      });
      expect(state(objectOf(triggered))).to.deep.equal(state(objectOf(happened)));
    });
  }
});
