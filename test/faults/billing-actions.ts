import { randomUUID } from 'node:crypto';
import { query } from '../support/database.ts';
import { OPERATION_POINTS } from './charge-crashes.ts';
import type { Host } from './host.ts';
import { eventsOf, expectEqual } from './outcomes.ts';
import type { Setting } from './setting.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const PRICE = 86_400;
const GOOD = 'pm_card_visa';
const DECLINED = 'pm_card_visa_chargeDeclinedInsufficientFunds';

/** The hosts of a run, of which one lives on. */
export interface BillingRun {
  readonly setting: Setting;
  readonly survivor: Host;
}

/** One piece of work of billing. */
export interface PreparedBilling {
  /** Asks the doomed process for it; absent: its worker does it unasked. */
  readonly ask?: (host: Host) => Promise<unknown>;
  /** @returns sentences about what is not as it must be in the end */
  judge(): Promise<readonly string[]>;
}

/** Something that a process dies of. */
export interface BillingAction {
  readonly points: readonly string[];
  /** Those of a small run. */
  readonly small: readonly string[];
  /** How long after the preparation a worker finds it due. @defaultValue 0 */
  readonly dueMs?: number;
  /** @param count pieces of work, of which none is due before all are prepared */
  prepare(run: BillingRun, count: number): Promise<readonly PreparedBilling[]>;
}

const WORKER_COMMITS = ['billing.before_commit', 'billing.after_commit'];
/** A worker commits the intent of a charge with what it bills. */
const WORKER_POINTS = [
  ...WORKER_COMMITS,
  ...OPERATION_POINTS.filter((point) => !point.endsWith('_intent')),
];
const INTENTS = ['operation.before_intent', 'operation.after_intent'];

/** What each action leaves behind: status, period, statuses of invoices, and events. */
interface End {
  readonly status: string;
  readonly index: number;
  readonly invoices: string;
  readonly events: string;
}

/** Everything that billing does, and where a process may die of it. */
export const BILLING_ACTIONS: Readonly<Record<string, BillingAction>> = {
  create: {
    points: OPERATION_POINTS,
    small: ['operation.after_intent'],
    prepare: (run, count) => times(count, () => prepareCreation(run)),
  },
  change: {
    points: OPERATION_POINTS,
    small: [],
    prepare: (run, count) =>
      times(count, async () => {
        const { path, item, id } = await subscribe(run);
        const change = {
          items: [{ id: item, quantity: 2 }],
          proration_behavior: 'always_invoice',
        };
        const key = randomUUID();
        return {
          ask: (host) => run.setting.merchant.client.post(`${host.url}/v1/${path}`, change, key),
          judge: () => judge(run, id, ending('active', 0, 'paid paid', 'created')),
        };
      }),
  },
  cancel: {
    points: INTENTS,
    small: [],
    prepare: (run, count) =>
      times(count, async () => {
        const { path, id } = await subscribe(run);
        return {
          ask: (host) => run.setting.merchant.client.delete(`${host.url}/v1/${path}`),
          judge: () => judge(run, id, ending('canceled', 0, 'paid', 'canceled created')),
        };
      }),
  },
  renew: {
    points: WORKER_POINTS,
    small: ['billing.after_commit', 'operation.after_call'],
    dueMs: DAY_MS,
    prepare: (run, count) =>
      times(count, async () => {
        const { id } = await subscribe(run);
        return { judge: () => judge(run, id, ending('active', 1, 'paid paid', 'created renewed')) };
      }),
  },
  fail: {
    points: WORKER_POINTS,
    small: [],
    dueMs: DAY_MS,
    prepare: (run, count) =>
      times(count, async () => {
        const { id, customer } = await subscribe(run);
        await useCard(run, customer, DECLINED);
        return { judge: () => judge(run, id, FAILED) };
      }),
  },
  retry: {
    points: WORKER_POINTS,
    small: [],
    dueMs: DAY_MS,
    prepare: async (run, count) =>
      (await failed(run, count)).map(({ id }) => ({ judge: () => judge(run, id, FAILED) })),
  },
  recover: {
    points: WORKER_POINTS,
    small: [],
    async prepare(run, count) {
      const made = await failed(run, count);
      for (const { customer } of made) await useCard(run, customer, GOOD);
      return made.map(({ id }) => ({ judge: () => judge(run, id, RECOVERED) }));
    },
  },
  'pay by hand': {
    points: OPERATION_POINTS,
    small: [],
    async prepare(run, count) {
      const { client } = run.setting.merchant;
      const made = await failed(run, count);
      return times(count, async (place) => {
        const { id, path, customer } = made[place] as Sold;
        const { json } = await client.get(`${run.survivor.url}/v1/${path}`);
        const paid = `invoices/${json['latest_invoice']}/pay`;
        const with_card = { payment_method: await attached(run, customer, GOOD) };
        const key = randomUUID();
        return {
          ask: (host) => client.post(`${host.url}/v1/${paid}`, with_card, key),
          judge: () => judge(run, id, RECOVERED),
        };
      });
    },
  },
  'give back': {
    points: ['billing.after_refund', ...WORKER_COMMITS],
    small: [],
    dueMs: 10 * DAY_MS,
    prepare: (run, count) =>
      times(count, async () => {
        const { id, path } = await subscribe(run, { account: 'btok_us', currency: 'usd' });
        await run.setting.merchant.client.delete(`${run.survivor.url}/v1/${path}`);
        const end = ending('canceled', 0, 'paid', 'canceled created');
        return {
          judge: async () => [...(await judge(run, id, end)), ...(await judgeRefunds(run, id))],
        };
      }),
  },
  'give up': {
    points: WORKER_COMMITS,
    small: [],
    dueMs: 7 * DAY_MS,
    async prepare(run, count) {
      const events = 'canceled created payment_failed';
      const end = ending('canceled', 1, 'paid uncollectible', events);
      return (await failed(run, count, '')).map(({ id }) => ({ judge: () => judge(run, id, end) }));
    },
  },
};

function ending(status: string, index: number, invoices: string, events: string): End {
  const types = events.split(' ').map((type) => `subscription.${type}`);
  return { status, index, invoices, events: types.join(' ') };
}

const FAILED = ending('past_due', 1, 'paid open', 'created payment_failed');
const RECOVERED = ending('active', 1, 'paid paid', 'created payment_failed recovered');

async function times<Made>(
  count: number,
  make: (place: number) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (let place = 0; place < count; place += 1) made.push(await make(place));
  return made;
}

async function judge(
  { setting, survivor }: BillingRun,
  id: string,
  { status, index, invoices, events }: End,
): Promise<readonly string[]> {
  const { client } = setting.merchant;
  const { json } = await client.get(`${survivor.url}/v1/subscriptions/${id}`);
  const listed = await client.get(`${survivor.url}/v1/invoices?subscription=${id}`);
  const made = (listed.json['data'] as readonly { readonly status: string }[]).toReversed();
  return [
    ...expectEqual('status', json['status'], status),
    ...expectEqual('period', json['period_index'], index),
    ...expectEqual('invoices', made.map((each) => each.status).join(' '), invoices),
    ...expectEqual('events', await eventsOf(setting, id), events),
  ];
}

/** What was paid after the end is given back once, in full. */
async function judgeRefunds({ setting }: BillingRun, id: string): Promise<readonly string[]> {
  const rows = await query<{ amount: number }>(
    setting.databaseUrl,
    `SELECT r.amount::integer AS amount FROM paymount.refunds r
     JOIN paymount.charges c ON c.id = r.charge_id JOIN paymount.invoices i ON i.id = c.invoice_id
     WHERE i.subscription_id = $1 AND r.status = 'succeeded'`,
    [id],
  );
  return expectEqual('refunds', rows.map(({ amount }) => amount).join(' '), String(PRICE));
}

async function prepareCreation(run: BillingRun): Promise<PreparedBilling> {
  const { setting } = run;
  const { client } = setting.merchant;
  const body = await newSale(run);
  const key = randomUUID();
  return {
    ask: (host) => client.post(`${host.url}/v1/subscriptions`, body, key),
    async judge() {
      const { customer } = body;
      const url = `${run.survivor.url}/v1/subscriptions?status=all&customer=${customer}`;
      const made = (await client.get(url)).json['data'] as readonly { readonly id: string }[];
      const [subscription] = made;
      if (subscription === undefined || made.length > 1) return [`${made.length} subscriptions.`];
      return judge(run, subscription.id, ending('active', 0, 'paid', 'created'));
    },
  };
}

/** By card, or by debit of a bank account. */
interface Payment {
  readonly account?: string;
  readonly currency: string;
}

const CARD: Payment = { currency: 'eur' };

interface Sold {
  readonly id: string;
  readonly customer: string;
  readonly path: string;
  readonly item: string;
}

async function subscribe(run: BillingRun, payment: Payment = CARD): Promise<Sold> {
  const body = await newSale(run, payment);
  const made = await make(run, 'subscriptions', body);
  const id = String(made['id']);
  const [item] = (made['items'] as { data: readonly { id: string }[] }).data;
  return { id, customer: body.customer, path: `subscriptions/${id}`, item: item?.id ?? '' };
}

/** Daily subscriptions whose renewals have failed. @param card empty: they have no payment method */
async function failed(run: BillingRun, count: number, card = DECLINED): Promise<readonly Sold[]> {
  const { survivor } = run;
  const sold = await times(count, () => subscribe(run));
  for (const { customer } of sold) await useCard(run, customer, card);
  await survivor.advance(DAY_MS + SECOND_MS);
  await survivor.work();
  await survivor.drain();
  await survivor.rest();
  return sold;
}

async function newSale(run: BillingRun, { account, currency }: Payment = CARD) {
  const customer = String((await make(run, 'customers'))['id']);
  await (account === undefined
    ? useCard(run, customer, GOOD)
    : useMethod(run, customer, await attached(run, customer, await newDebit(run, account))));
  const price = await make(run, 'prices', {
    product_data: { name: 'Basic' },
    currency,
    unit_amount: PRICE,
    recurring: { interval: 'day' },
  });
  return { customer, items: [{ price: price['id'] }] };
}

async function newDebit(run: BillingRun, token: string): Promise<string> {
  const method = await make(run, 'payment_methods', {
    type: 'us_bank_account',
    us_bank_account: { token },
    billing_details: { name: 'Ada' },
    mandate_data: { customer_acceptance: { type: 'offline' } },
  });
  return String(method['id']);
}

async function useCard(run: BillingRun, customer: string, card: string): Promise<void> {
  await useMethod(run, customer, card === '' ? '' : await attached(run, customer, card));
}

async function useMethod(run: BillingRun, customer: string, method: string): Promise<void> {
  const invoice_settings = { default_payment_method: method };
  await make(run, `customers/${customer}`, { invoice_settings });
}

async function attached(run: BillingRun, customer: string, card: string): Promise<string> {
  return String((await make(run, `payment_methods/${card}/attach`, { customer }))['id']);
}

async function make(
  { setting, survivor }: BillingRun,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { client } = setting.merchant;
  const { status, json, text } = await client.post(`${survivor.url}/v1/${path}`, body);
  if (status !== 200) throw new Error(`POST ${path} was answered ${text}`);
  return json;
}
