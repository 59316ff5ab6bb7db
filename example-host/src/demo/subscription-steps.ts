import { callApiOk, requireText } from './api-client.ts';
import { eventually } from './eventually.ts';
import { objectsIn } from './objects-in.ts';
import type { Setup } from './setup.ts';
import { check, type Step } from './step.ts';

/** A clock advances by itself, in less than a second for each renewal. */
const CLOCK_LIMIT_MS = 20_000;
const DELIVERY_LIMIT_MS = 10_000;
const CLOCKS = '/v1/test_helpers/test_clocks';

type Json = Readonly<Record<string, unknown>>;

/** A month of a plan each: paid, failed and recovered, canceled. */
export const subscriptionSteps: readonly Step[] = [
  { tries: 'a plan that the shop sells', run: joinClub },
  { tries: 'a renewal that fails and recovers, and a cancellation', run: liveThroughMonths },
];

async function joinClub(setup: Setup): Promise<string> {
  const shopper = 'Ada';
  const response = await fetch(`${setup.shopUrl}/memberships`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ shopper, payment_method: 'pm_card_visa' }),
  });
  check(response.status === 202, `The shop answered ${response.status}.`);
  const { subscription } = await member(setup, shopper, 'active');
  return `The shop sold its tea club for 19.00 eur a month, and gives access: ${String(subscription)}`;
}

async function liveThroughMonths(setup: Setup): Promise<string> {
  const { test } = setup.environments;
  const shopper = 'Bob';
  const call = (path: string, fields?: Record<string, string>): Promise<Json> =>
    callApiOk(test, test.secretKey, path, fields);
  const clock = requireText(await call(CLOCKS, { frozen_time: '2030-01-31T12:00:00Z' }), 'id');
  const advance = async (frozen_time: string): Promise<void> => {
    await call(`${CLOCKS}/${clock}/advance`, { frozen_time });
    await eventually(`the clock at ${frozen_time}`, CLOCK_LIMIT_MS, async () => {
      const { status } = await call(`${CLOCKS}/${clock}`);
      return status === 'ready' ? true : undefined;
    });
  };
  const card = 'pm_card_recovers_on_charge_3';
  const customer = await call('/v1/customers', {
    name: shopper,
    test_clock: clock,
    payment_method: card,
    'invoice_settings[default_payment_method]': card,
  });
  const made = await call('/v1/subscriptions', {
    customer: requireText(customer, 'id'),
    'items[0][price]': await clubPrice(call),
    'metadata[shopper]': shopper,
  });
  const id = requireText(made, 'id');
  const statuses: string[] = [];
  const note = async (): Promise<void> => {
    statuses.push(requireText(await call(`/v1/subscriptions/${id}`), 'status'));
  };
  await advance('2030-02-28T12:00:00Z');
  await note();
  await advance('2030-03-01T12:00:00Z');
  await note();
  await advance('2030-03-31T12:00:00Z');
  await note();
  await call(`/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' });
  await advance('2030-04-30T12:00:00Z');
  await note();
  const seen = statuses.join(', ');
  check(seen === 'past_due, active, active, canceled', `It was ${seen}.`);
  const { has_access: access } = await member(setup, shopper, 'canceled');
  check(access === false, 'The shop still gives access.');
  return 'On a test clock a renewal failed, recovered a day later, renewed, and was canceled; access ended';
}

/** The price that the shop made with its first sale. */
async function clubPrice(call: (path: string) => Promise<Json>): Promise<string> {
  const { data } = await call('/v1/prices?lookup_keys[]=tea_club');
  const [price] = objectsIn(data);
  if (price === undefined) throw new Error('The club has no price.');
  return requireText(price, 'id');
}

/** What the shop shows to a member, once it has heard of the status. */
function member({ shopUrl }: Setup, shopper: string, status: string): Promise<Json> {
  return eventually(`the membership to be ${status}`, DELIVERY_LIMIT_MS, async () => {
    const response = await fetch(`${shopUrl}/memberships/${shopper}`);
    const body: unknown = await response.json();
    const found: Json = typeof body === 'object' && body !== null ? { ...body } : {};
    return found['status'] === status ? found : undefined;
  });
}
