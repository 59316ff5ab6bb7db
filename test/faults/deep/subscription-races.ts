import { billingLaws } from '../../support/billing-laws.ts';
import { query } from '../../support/database.ts';
import { ofToday, sampleDay } from '../../support/depth.ts';
import { type Findings, type Scenario, Tally } from '../scenario.ts';
import { type Merchant, openSetup, type Setup } from './setup.ts';
import {
  callOn,
  isFairOn,
  type SubscriptionPair,
  type SubscriptionTarget,
  type SubscriptionVerb,
  subscriptionPairs,
} from './subscription-verbs.ts';

const AT_ONCE = 20;
const DAY_MS = 86_400_000;
/** What was postponed after a failure is tried again within it, and outcomes are asked for. */
const SETTLE_STEPS = 3;
const SETTLE_MS = 11 * 60_000;

interface Race {
  readonly setup: Setup;
  round: number;
  readonly tally: Tally;
  readonly violations: string[];
}

/** Size: rounds for each pair; 0 takes the pairs of today, once. */
export const subscriptionRaces: Scenario = {
  name: 'subscription-races',
  law: 'Of 20 calls at once on one subscription, each period is billed once and no money is taken twice.',
  sizes: { small: 0, nightly: 10, full: 100 },
  async run(rounds): Promise<Findings> {
    const setup = await openSetup('2030-01-01T00:00:00.000Z');
    const race: Race = { setup, round: sampleDay, tally: new Tally(), violations: [] };
    const pairs = rounds === 0 ? ofToday(subscriptionPairs()) : subscriptionPairs();
    try {
      for (let round = 0; round < Math.max(1, rounds); round += 1) {
        await racePairs(race, pairs);
        race.round += 1;
      }
      race.violations.push(...(await setup.verify()));
      race.tally.add('deadlocks that the database ended', await setup.deadlocks());
    } finally {
      await setup.close();
    }
    return { violations: race.violations, counts: race.tally.toCounts() };
  },
};

/**
 * All targets are prepared together. On the second day the renewal of those that are to be retried fails; at
 * the start of the third, that retry or the next renewal is due.
 */
async function racePairs(race: Race, pairs: readonly SubscriptionPair[]): Promise<void> {
  const { setup } = race;
  const targets: SubscriptionTarget[] = [];
  for (const pair of pairs) targets.push(await prepare(setup, pair));
  for (const { pair, token } of targets) if (isPastDue(pair)) setup.bank.declining.add(token);
  await setup.pass(DAY_MS);
  setup.bank.declining.clear();
  const raced: SubscriptionTarget[] = [];
  for (const target of targets) {
    raced.push({ ...target, invoice: await invoiceOf(target, isPastDue(target.pair)) });
  }
  setup.clock.advance(DAY_MS);
  for (const [index, target] of raced.entries()) {
    // Of every other one the outcome is known only after the race.
    setup.bank.clearingMs = index % 2 === race.round % 2 ? SETTLE_MS / 2 : 0;
    await raceOnce(race, target);
  }
  setup.bank.clearingMs = 0;
  for (let step = 0; step < SETTLE_STEPS; step += 1) await setup.pass(SETTLE_MS);
  for (const target of raced) await judge(race, target);
  const now = setup.clock.now();
  race.violations.push(...(await billingLaws(setup.databaseUrl, now)));
  await Promise.all(targets.map(({ merchant }) => merchant.close()));
  race.tally.add('rounds of each pair');
}

/** Whether the renewal of the day before is to fail. Otherwise `pay` and `void` are about another invoice. */
function isPastDue(pair: SubscriptionPair): boolean {
  if (pair.includes('retry')) return true;
  return !pair.includes('renew') && (pair.includes('pay') || pair.includes('void'));
}

let prepared = 0;

async function prepare(setup: Setup, pair: SubscriptionPair): Promise<SubscriptionTarget> {
  const merchant = await setup.newMerchant();
  prepared += 1;
  const token = `tok_${prepared}`;
  const method = await make(merchant, 'payment_methods', { type: 'card', card: { token } });
  const customer = String((await make(merchant, 'customers'))['id']);
  const id = String(method['id']);
  await make(merchant, `payment_methods/${id}/attach`, { customer });
  const invoice_settings = { default_payment_method: id };
  await make(merchant, `customers/${customer}`, { invoice_settings });
  const price = await make(merchant, 'prices', {
    product_data: { name: 'Basic' },
    currency: 'eur',
    unit_amount: 86_400,
    recurring: { interval: 'day' },
  });
  const items = [{ price: price['id'] }];
  const made = await make(merchant, 'subscriptions', { customer, items });
  const [item] = (made['items'] as { data: readonly { id: string }[] }).data;
  return {
    pair,
    merchant,
    customer,
    method: id,
    token,
    subscription: String(made['id']),
    item: item?.id ?? '',
    invoice: '',
  };
}

async function make(
  merchant: Merchant,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { status, json, text } = await merchant.post(path, body);
  if (status !== 200) throw new Error(`POST ${path} was answered ${text}`);
  return json;
}

/** The invoice that was not paid, or another one that nobody has tried to charge. */
async function invoiceOf(
  { merchant, subscription, item }: SubscriptionTarget,
  isUnpaid: boolean,
): Promise<string> {
  const path = `subscriptions/${subscription}`;
  if (isUnpaid) return String((await merchant.get(path)).json['latest_invoice']);
  // Of a change while collection was paused there is a draft.
  await make(merchant, path, { pause_collection: { behavior: 'keep_as_draft' } });
  const items = [{ id: item, quantity: 2 }];
  const changed = await make(merchant, path, { items, proration_behavior: 'always_invoice' });
  const invoice = String(changed['latest_invoice']);
  // Before collection goes on: then a worker issues and charges what is still a draft.
  await make(merchant, `invoices/${invoice}/finalize`, { auto_advance: false });
  await make(merchant, path, { pause_collection: '' });
  return invoice;
}

async function raceOnce(race: Race, target: SubscriptionTarget): Promise<void> {
  const { setup, tally, violations } = race;
  const { pair } = target;
  const verbs = Array.from(
    { length: AT_ONCE },
    (_, index): SubscriptionVerb => pair[index % 2 === 0 ? 0 : 1],
  );
  const answers = await Promise.all(
    verbs.map((verb, index) => callOn(setup, target, { verb, index })),
  );
  for (const [index, answer] of answers.entries()) {
    const verb = verbs[index] ?? pair[0];
    tally.add(`${verb}: ${answer?.code ?? answer?.status ?? 'passed'}`);
    if (answer === undefined || isFairOn(verb, answer)) continue;
    violations.push(`${pair.join(' and ')}: ${verb} was answered ${answer.status} ${answer.text}`);
  }
}

/** It is over, or billed for the day that runs. */
async function judge(
  { setup, tally, violations }: Race,
  { pair, merchant, customer, subscription }: SubscriptionTarget,
): Promise<void> {
  const { json } = await merchant.get(`subscriptions/${subscription}`);
  const status = String(json['status']);
  tally.add(`${pair.join(' and ')}: ${status}`);
  const end = new Date(String(json['current_period_end']));
  const isDeleted = (await merchant.get(`customers/${customer}`)).json['deleted'] === true;
  if (isDeleted && status !== 'canceled') {
    violations.push(`${pair.join(' and ')}: the customer is deleted, and it is ${status}.`);
  }
  if (status === 'active' && end <= setup.clock.now()) {
    violations.push(`${pair.join(' and ')}: the period ended ${end.toISOString()}.`);
  }
  const executed = await query<{ id: string }>(
    setup.databaseUrl,
    'SELECT id FROM paymount.charges WHERE account_id = $1',
    [merchant.account],
  );
  for (const { id } of executed) {
    const times = (setup.bank.journal.get(id) ?? []).filter(({ kind }) => kind === 'authorize');
    if (times.length > 1) violations.push(`${pair.join(' and ')}: ${id} was sent twice.`);
  }
}
