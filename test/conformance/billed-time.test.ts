import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';
const MIDDLE = '2030-02-14T12:00:00Z';
const LATER = '2030-03-20T12:00:00Z';
const SENT = { collection_method: 'send_invoice', days_until_due: 60 };
const NOW = { proration_behavior: 'always_invoice' };
const LATE = { proration_behavior: 'create_prorations' };
const FREE = { proration_behavior: 'none' };

type Json = Readonly<Record<string, unknown>>;

interface Story {
  readonly subscription: Json;
  readonly path: string;
  readonly item: string;
  change(quantity: number, more?: object): Promise<Json>;
  advance(to: string): Promise<void>;
  /** The path of an invoice, the oldest first. */
  invoice(at: number): Promise<string>;
  /** Paths of what waits for an invoice, the oldest first. */
  waiting(): Promise<readonly string[]>;
}

describe('verify, of the time that subscriptions bill', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
  });
  after(() => app.close());

  /** What is found about a subscription and its item. */
  async function foundIn({ subscription, item }: Story): Promise<readonly unknown[]> {
    const ids = [String(subscription['id']), item];
    const found = await app.paymount.verify();
    return found.filter(({ subject }) => ids.some((id) => subject.includes(id)));
  }

  async function subscribe(more: object): Promise<Story> {
    const clock = await shop.clock(START);
    const customer = await shop.customer(clock);
    const price = await shop.newPrice(1_000);
    const items = [{ price, quantity: 2 }];
    const subscription = await shop.make('/v1/subscriptions', { customer, items, ...more });
    const path = `/v1/subscriptions/${String(subscription['id'])}`;
    const item = String((subscription['items'] as { data: Json[] }).data[0]?.['id']);
    return {
      subscription,
      path,
      item,
      change: (quantity, rest = LATE) =>
        shop.make(path, { items: [{ id: item, quantity }], ...rest }),
      advance: (to) => shop.advance(clock, new Date(to).toISOString()),
      async invoice(at) {
        const made = await shop.invoicesOf(subscription['id']);
        return `/v1/invoices/${String(made.at(at)?.['id'])}`;
      },
      async waiting() {
        const { data } = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
        return (data as Json[]).map(({ id }) => `/v1/invoiceitems/${String(id)}`).toReversed();
      },
    };
  }

  const stories: Readonly<Record<string, (story: Story) => Promise<void>>> = {
    'several changes in one second': async ({ change, advance }) => {
      await change(10);
      await change(1, NOW);
      await change(7);
      await change(0, NOW);
      await change(3);
      await advance(LATER);
    },
    'changes without prorations among others': async ({ change, advance }) => {
      await change(10, FREE);
      await advance(MIDDLE);
      await change(1);
      await change(5, FREE);
      await change(4, NOW);
      await advance(LATER);
    },
    'periods that begin early, with prorations and without': async ({ change, path, advance }) => {
      await advance(MIDDLE);
      await shop.make(path, { billing_cycle_anchor: 'now', ...FREE });
      await change(9);
      await advance('2030-02-20T12:00:00Z');
      await change(3, { billing_cycle_anchor: 'now', ...LATE });
      await shop.make(path, { billing_cycle_anchor: 'now', ...FREE });
      await advance('2030-05-01T12:00:00Z');
    },
    'a trial of a running subscription without prorations': async ({ change, path, advance }) => {
      await change(6, NOW);
      await advance(MIDDLE);
      await shop.make(path, { trial_end: '2030-02-16T12:00:00Z', ...FREE });
      await advance('2030-02-20T12:00:00Z');
      await change(4, NOW);
      await advance(LATER);
    },
    'ends that move': async ({ change, path, advance }) => {
      await shop.make(path, { cancel_at: '2030-03-10T12:00:00Z', ...FREE });
      await advance('2030-03-01T12:00:00Z');
      await change(1, FREE);
      await shop.make(path, { cancel_at: '', ...LATE });
      await change(8, NOW);
      await advance('2030-04-20T12:00:00Z');
    },
    'what waited, which the merchant changed and deleted': async ({ change, advance, waiting }) => {
      await change(10);
      const [credit, debit] = await waiting();
      await shop.make(String(credit), { amount: -1 });
      await shop.delete(String(debit));
      await advance(MIDDLE);
      await change(1, NOW);
      await advance(LATER);
    },
    'an end that gives back': async ({ change, path, advance }) => {
      await advance(MIDDLE);
      await change(5, NOW);
      await shop.delete(`${path}?prorate=true&invoice_now=true`);
    },
  };
  const sent: typeof stories = {
    'a change that became void': async ({ change, invoice, advance }) => {
      await shop.make(`${await invoice(0)}/pay`, { paid_out_of_band: true });
      await change(10);
      await change(11, NOW);
      await shop.make(`${await invoice(1)}/void`);
      await change(1, NOW);
      await advance(LATER);
    },
    'a period that became void, with what waited for it': async ({ change, invoice, advance }) => {
      await change(10, FREE);
      await shop.make(`${await invoice(0)}/void`);
      await change(1);
      await change(3);
      await advance(LATER);
    },
    'a period that was given up, and paid later': async ({ change, invoice, advance }) => {
      await shop.make(`${await invoice(0)}/mark_uncollectible`);
      await change(3, FREE);
      await advance(MIDDLE);
      await shop.make(`${await invoice(0)}/pay`, { paid_out_of_band: true });
      await change(1, NOW);
      await advance(LATER);
    },
  };
  const pauses: typeof stories = Object.fromEntries(
    ['void', 'keep_as_draft', 'mark_uncollectible'].map((behavior) => [
      `a pause with ${behavior}`,
      async ({ change, path, advance }) => {
        await shop.make(path, { pause_collection: { behavior } });
        await advance(LATER);
        await change(4, behavior === 'void' ? LATE : FREE);
        await shop.make(path, { pause_collection: '' });
        await advance('2030-04-20T12:00:00Z');
        // Time of an invoice that was given up gives nothing back.
        await change(1, behavior === 'mark_uncollectible' ? FREE : NOW);
      },
    ]),
  );

  for (const [name, tell] of Object.entries({ ...stories, ...pauses })) {
    it(`finds nothing in ${name}`, async () => {
      const story = await subscribe({});
      await tell(story);
      expect(await foundIn(story)).to.deep.equal([]);
    });
  }
  for (const [name, tell] of Object.entries(sent)) {
    it(`finds nothing in ${name}`, async () => {
      const story = await subscribe(SENT);
      await tell(story);
      expect(await foundIn(story)).to.deep.equal([]);
    });
  }
  it('finds nothing in a subscription that moved in, and changed in its free time', async () => {
    const story = await subscribe({
      backdate_start_date: '2029-12-05T12:00:00Z',
      billing_cycle_anchor: '2030-02-05T12:00:00Z',
      proration_behavior: 'none',
    });
    const { change, advance } = story;
    await change(9, NOW);
    await change(1);
    await advance('2030-02-10T12:00:00Z');
    await change(4, NOW);
    expect(await foundIn(story)).to.deep.equal([]);
  });
  it('finds nothing in a subscription whose time before was billed', async () => {
    const story = await subscribe({ backdate_start_date: '2030-01-11T12:00:00Z' });
    const { change, advance } = story;
    await advance(MIDDLE);
    await change(4, NOW);
    await advance(LATER);
    expect(await foundIn(story)).to.deep.equal([]);
  });
});
