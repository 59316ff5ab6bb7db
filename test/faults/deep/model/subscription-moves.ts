import { newCard } from './customer-moves.ts';
import type { Customer, Subscription } from './objects.ts';
import { OK, type Player } from './player.ts';
import type { Of } from './steps.ts';

type Json = Readonly<Record<string, unknown>>;

/** Why nothing can be charged; the customer can change it. */
const NO_METHOD = ['payment_method_missing', 'payment_method_unusable', 'invalid_currency'];
/** What a declined card is answered with, when a request asked for the money. */
const DECLINED = 'card_declined';
const OVER = 'subscription_canceled';
/** Nobody knows yet what became of the charge before. */
const UNKNOWN = 'operation_in_progress';

/** What an account may sell to one customer in the model. */
const MAX_SUBSCRIPTIONS = 4;

/** Only where there was a sale, or a schedule of payouts could begin before or after the first renewal. */
export async function subscribe(player: Player, step: Of<'subscribe'>): Promise<void> {
  const { book } = player;
  if (!book.plan.hasSold || book.subscriptions.length === MAX_SUBSCRIPTIONS) return;
  const customer = await payer(player, step.pick);
  const { json: price } = await player.post('prices', priceOf(step), OK);
  const { answer, isTwice, trialDays, isTried, quantity } = step;
  const items = [{ price: price['id'], quantity }];
  const sold = await player.ask(
    'subscriptions',
    {
      customer: customer.id,
      items,
      payment_behavior: isTried ? 'allow_incomplete' : 'default_incomplete',
      ...(trialDays > 0 && { trial_period_days: trialDays }),
    },
    NO_METHOD,
    { answer, isTwice },
  );
  if (sold.status !== 200) return;
  const [item] = (sold.json['items'] as { data: readonly { id: string }[] }).data;
  book.subscriptions.push({
    id: String(sold.json['id']),
    item: String(item?.id),
    unitAmount: step.amount,
    hasTrial: trialDays > 0,
    isOdd: false,
    prices: [{ atMs: book.real.nowMs, amount: quantity * step.amount }],
  });
}

function priceOf({ amount, interval }: Of<'subscribe'>): object {
  const cost = { currency: 'eur', unit_amount: amount, recurring: { interval } };
  return { product_data: { name: 'Basic' }, ...cost };
}

/** Mostly a new customer with a card of his own, which can fail without that of others. */
async function payer(player: Player, pick: number): Promise<Customer> {
  const { book } = player;
  const old = player.pick(
    book.customers.filter(({ isDeleted, default: method }) => !isDeleted && method !== undefined),
    pick,
  );
  if (old !== undefined && pick % 3 === 0) return old;
  const { json } = await player.post('customers', {}, OK);
  const customer: Customer = { id: String(json['id']), isDeleted: false, default: undefined };
  book.customers.push(customer);
  const method = await newCard(player, customer);
  const settings = { invoice_settings: { default_payment_method: method.id } };
  await player.post(`customers/${customer.id}`, settings, OK);
  customer.default = method;
  return customer;
}

export async function changeSubscription(
  player: Player,
  { pick, quantity, behavior, answer, isTwice }: Of<'changeSubscription'>,
): Promise<void> {
  const found = player.pick(player.book.subscriptions, pick);
  if (found === undefined) return;
  const changed = await player.ask(
    `subscriptions/${found.id}`,
    { items: [{ id: found.item, quantity }], proration_behavior: behavior },
    [...NO_METHOD, OVER, UNKNOWN, 'subscription_unpaid', 'status_transition_invalid'],
    { answer, isTwice },
  );
  if (changed.status !== 200) return;
  noteChange(player, found, quantity);
  // What nobody is billed for, or what was not begun, is no part of the costs of a period.
  if (behavior === 'none' || changed.json['status'] !== 'active') found.isOdd = true;
}

function noteChange({ book }: Player, found: Subscription, quantity: number): void {
  found.prices.push({ atMs: book.real.nowMs, amount: quantity * found.unitAmount });
}

export async function cancelSubscription(
  player: Player,
  { pick, how }: Of<'cancelSubscription'>,
): Promise<void> {
  const { book, merchant } = player;
  const found = player.pick(book.subscriptions, pick);
  if (found === undefined) return;
  const path = `subscriptions/${found.id}`;
  const refusals = [OVER, UNKNOWN, 'subscription_unpaid', 'status_transition_invalid'];
  found.isOdd ||= how !== 'now';
  if (how === 'period_end' || how === 'not') {
    await player.ask(path, { cancel_at_period_end: how === 'period_end' }, refusals);
    return;
  }
  const query = how === 'now' ? '' : `?${how}=true`;
  player.assertAllowed(path, await merchant.remove(path + query), refusals);
}

export async function pauseSubscription(
  player: Player,
  { pick, behavior }: Of<'pauseSubscription'>,
): Promise<void> {
  const found = player.pick(player.book.subscriptions, pick);
  if (found === undefined) return;
  const pause = behavior === 'resume' ? '' : { behavior };
  found.isOdd = true;
  await player.ask(`subscriptions/${found.id}`, { pause_collection: pause }, [OVER, UNKNOWN]);
}

/** Somebody pays an invoice that is open, or says that it was paid elsewhere. */
export async function payInvoice(
  player: Player,
  { pick, how, answer, isTwice }: Of<'payInvoice'>,
): Promise<void> {
  const invoice = player.pick(await unpaid(player), pick);
  if (invoice === undefined) return;
  const path = `invoices/${invoice['id']}`;
  const refusals = [...NO_METHOD, DECLINED, UNKNOWN, 'status_transition_invalid'];
  if (how === 'void') await player.ask(`${path}/void`, {}, refusals);
  else {
    const elsewhere = how === 'elsewhere' ? { paid_out_of_band: true } : {};
    await player.ask(`${path}/pay`, elsewhere, refusals, { answer, isTwice });
  }
}

async function unpaid({ merchant }: Player): Promise<readonly Json[]> {
  const open = await merchant.get('invoices?status=open&limit=100');
  const doubtful = await merchant.get('invoices?status=uncollectible&limit=100');
  return [open, doubtful].flatMap(({ json }) => json['data'] as readonly Json[]);
}

/** The bank declines a saved card from now on, or no longer. */
export async function cardFails(
  { book, setup, pick }: Player,
  step: Of<'cardFails'>,
): Promise<void> {
  const cards = book.customers.flatMap(({ default: method }) => method ?? []);
  const tokens = cards.filter(({ type }) => type === 'card').map(({ token: each }) => each);
  const token = pick(tokens, step.pick);
  if (token === undefined) return;
  if (!setup.bank.declining.delete(token)) setup.bank.declining.add(token);
}
