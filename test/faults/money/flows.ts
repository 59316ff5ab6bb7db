import { setTimeout as wait } from 'node:timers/promises';
import type { FinalAnswer } from './asked.ts';
import type { Callers } from './callers.ts';
import { DEBITED_ACCOUNT, DECLINED_CARD } from './journal.ts';
import type { Party } from './parties.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ShopOrder } from './shop-messages.ts';

/** What shoppers need. */
export interface Market {
  readonly parties: readonly Party[];
  readonly callers: Callers;
  readonly random: SeededRandom;
  /** Once true, no shopper begins anything. */
  isClosed: boolean;
}

/** An order with its charge. */
interface Purchase {
  readonly party: Party;
  readonly order: string;
  readonly charge: string;
  readonly amount: number;
}

const AMOUNT = [100, 9_000] as const;
const SHARE_DECLINED = 0.06;
const SHARE_SLOW = 0.2;
const SHARE_GRUMPY = 0.1;
const SHARE_ACCEPTED = 0.3;
const PAID_OUT = [100, 1_500] as const;
const SHARE_ROLLED_BACK = 0.25;
const SETTLED_TRIES = 12;
const SETTLED_EVERY_MS = 200;
const MAX_REFUNDS = 5;

let names = 0;

/** A name that nobody else has in this process. */
function nextName(kind: 'order' | 'call' | 'account'): string {
  names += 1;
  return `${kind}_${names}`;
}

/** One shopper after the other: each buys, and brings back, until the market closes. */
export async function goShopping(market: Market): Promise<void> {
  while (!market.isClosed) {
    const { random } = market;
    const party = random.pick(market.parties);
    const flow = random.pick(FLOWS);
    await flow(market, party);
  }
}

/** How the hook is to treat the results of it. */
function moodOf(random: SeededRandom): Readonly<Record<string, string>> {
  return {
    ...(random.chance(SHARE_SLOW) && { slow: 'yes' }),
    ...(random.chance(SHARE_GRUMPY) && { grumpy: 'yes' }),
  };
}

/** Bought at once, and partly brought back. */
async function sale(market: Market, party: Party): Promise<void> {
  const [purchase] = await buy(market, party, { capture: true, orders: 1 });
  if (purchase && (await settled(market, purchase, 'succeeded'))) {
    await bringBack(market, purchase, purchase.amount);
  }
}

/** Two orders in one transaction of the host's. */
async function basket(market: Market, party: Party): Promise<void> {
  const bought = await buy(market, party, { capture: true, orders: 2 });
  for (const purchase of bought) {
    if (await settled(market, purchase, 'succeeded')) {
      await bringBack(market, purchase, purchase.amount);
    }
  }
}

/** Held first, then captured, whole or in part. */
async function hold(market: Market, party: Party): Promise<void> {
  const { random } = market;
  const [purchase] = await buy(market, party, { capture: false, orders: 1 });
  if (!purchase || !(await settled(market, purchase, 'authorized'))) return;
  const amount = random.chance(0.5) ? purchase.amount : random.between(50, purchase.amount);
  await change(market, purchase, 'capture', amount);
  if (await settled(market, purchase, 'succeeded')) await bringBack(market, purchase, amount);
}

/** Held, then let go: canceled, or refunded in full. */
async function release(market: Market, party: Party): Promise<void> {
  const [purchase] = await buy(market, party, { capture: false, orders: 1 });
  if (!purchase || !(await settled(market, purchase, 'authorized'))) return;
  if (market.random.chance(0.7)) await change(market, purchase, 'cancel', purchase.amount);
  else await refund(market, purchase, purchase.amount);
}

/** A bank account is debited, and perhaps partly given back once that has cleared. */
async function debit(market: Market, party: Party): Promise<void> {
  const { callers, random } = market;
  const paymentMethod = await callers.paymentMethod(party, {
    type: 'us_bank_account',
    us_bank_account: { token: `${DEBITED_ACCOUNT}${nextName('account')}` },
    mandate_data: { customer_acceptance: { type: 'online' } },
  });
  if (paymentMethod === undefined) return;
  const order = nextName('order');
  const amount = random.between(...AMOUNT);
  const metadata = { order, ...moodOf(random) };
  const body = { amount, currency: 'usd', payment_method: paymentMethod, metadata };
  const request = { path: '/v1/charges', body, name: order };
  const answer = await callers.http(party, 'charge', request);
  if (answer?.verdict !== 'done') return;
  const [charge = ''] = answer.ids;
  const purchase = { party, order, charge, amount };
  if (await settled(market, purchase, 'succeeded')) await bringBack(market, purchase, amount);
}

/** The merchant takes some of the balance. */
async function payOut({ callers, random }: Market, party: Party): Promise<void> {
  const call = nextName('call');
  const amount = random.between(...PAID_OUT);
  const body = { amount, currency: 'eur', metadata: { call, ...moodOf(random) } };
  await callers.http(party, 'payout', { path: '/v1/payouts', body, name: call });
}

/** The merchant submits evidence for a dispute, or accepts it. */
async function answerDispute(market: Market, party: Party): Promise<void> {
  const { callers, random } = market;
  const open = await callers.listOpenDisputes(party);
  if (open.length === 0) return sale(market, party);
  const { id } = random.pick(open);
  const name = nextName('call');
  const request = random.chance(SHARE_ACCEPTED)
    ? { path: `/v1/disputes/${id}/close`, body: {} }
    : { path: `/v1/disputes/${id}`, body: { evidence: { uncategorized_text: 'She signed.' } } };
  await callers.http(party, 'answer', { ...request, name });
}

/** More often what others build on. */
const FLOWS = [
  sale,
  sale,
  sale,
  hold,
  release,
  basket,
  debit,
  debit,
  payOut,
  payOut,
  answerDispute,
];

async function buy(
  { callers, random }: Market,
  party: Party,
  { capture, orders }: { readonly capture: boolean; readonly orders: number },
): Promise<readonly Purchase[]> {
  const { acting } = party;
  const asked: ShopOrder[] = [];
  for (let made = 0; made < orders; made += 1) {
    const card = random.chance(SHARE_DECLINED) ? DECLINED_CARD : 'tok_fine';
    const paymentMethod = await createPaymentMethod(party, callers, card);
    if (paymentMethod === undefined) return [];
    const id = nextName('order');
    const metadata = { order: id, ...moodOf(random) };
    const amount = random.between(...AMOUNT);
    asked.push({ id, amount, currency: 'eur', payment_method: paymentMethod, capture, metadata });
  }
  const [first] = asked;
  if (first === undefined) return [];
  const byHost = orders > 1 || random.chance(0.5);
  const commits = !random.chance(SHARE_ROLLED_BACK);
  const { id: name, ...body } = first;
  const answer = byHost
    ? await callers.using(
        party,
        'charge',
        { do: 'buy', acting, commits, orders: asked },
        asked.map(({ id }) => id),
      )
    : await callers.http(party, 'charge', { path: '/v1/charges', body, name });
  return listPurchases(answer, party, asked);
}

function listPurchases(
  answer: FinalAnswer | undefined,
  party: Party,
  asked: readonly ShopOrder[],
): readonly Purchase[] {
  if (answer?.verdict !== 'done') return [];
  return answer.ids.flatMap((charge, index) => {
    const order = asked[index];
    return order ? [{ party, order: order.id, charge, amount: order.amount }] : [];
  });
}

/** In live a card is made a payment method first, which serves one charge. */
async function createPaymentMethod(
  party: Party,
  callers: Callers,
  card: string,
): Promise<string | undefined> {
  if (party.acting.environment === 'test') return card;
  return callers.paymentMethod(party, { type: 'card', card: { token: card } });
}

async function settled(
  market: Market,
  { party, charge }: Purchase,
  wanted: string,
): Promise<boolean> {
  for (let tries = 0; tries < SETTLED_TRIES && !market.isClosed; tries += 1) {
    const status = await market.callers.readStatus(party, charge);
    if (status === wanted) return true;
    if (status === 'failed' || status === 'canceled') return false;
    await wait(SETTLED_EVERY_MS);
  }
  return false;
}

/** Several refunds at once, whose sum may be more than there is. */
async function bringBack(market: Market, purchase: Purchase, captured: number): Promise<void> {
  const { random } = market;
  const count = random.between(0, MAX_REFUNDS);
  if (count === 1) return refund(market, purchase, captured);
  const most = Math.max(1, Math.floor((captured * 1.2) / Math.max(1, count)));
  await Promise.all(
    Array.from({ length: count }, () => refund(market, purchase, random.between(1, most))),
  );
}

async function refund(
  { callers, random }: Market,
  { party, order, charge }: Purchase,
  amount: number,
): Promise<void> {
  const call = nextName('call');
  if (random.chance(0.5)) {
    const body = { charge, amount, metadata: { call } };
    await callers.http(party, 'refund', { path: '/v1/refunds', body, name: call });
    return;
  }
  const commits = !random.chance(SHARE_ROLLED_BACK);
  const { acting } = party;
  await callers.using(party, 'refund', { do: 'refund', acting, commits, order, call, amount }, [
    call,
  ]);
}

async function change(
  { callers, random }: Market,
  { party, order, charge }: Purchase,
  what: 'capture' | 'cancel',
  amount: number,
): Promise<void> {
  if (random.chance(0.5)) {
    const path = `/v1/charges/${charge}/${what}`;
    const body = what === 'capture' ? { amount } : {};
    await callers.http(party, what, { path, body, name: order });
    return;
  }
  const { acting } = party;
  const asked = what === 'capture' ? { do: what, amount } : { do: what };
  await callers.using(party, what, { ...asked, acting, commits: true, order }, [order]);
}
