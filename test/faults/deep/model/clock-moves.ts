import { CLOCK_LIFE_MS, type Timeline } from './objects.ts';
import { OK, type Player } from './player.ts';
import { passed } from './rules.ts';
import type { Of } from './steps.ts';

const CLOCKS = 'test_helpers/test_clocks';
const SECOND_MS = 1_000;

/** A clock, and a customer on it with a saved card. */
export async function newClock(player: Player, { ms }: Of<'newClock'>): Promise<void> {
  const { book } = player;
  // Clocks show whole seconds.
  const nowMs = Math.floor((book.real.nowMs + ms) / SECOND_MS) * SECOND_MS;
  const { json: clock } = await player.post(CLOCKS, { frozen_time: toIso(nowMs) }, OK);
  const { json: customer } = await player.post('customers', { test_clock: clock['id'] }, OK);
  const card = { token: 'tok_visa' };
  const { json: method } = await player.post('payment_methods', { type: 'card', card }, OK);
  const path = `payment_methods/${method['id']}/attach`;
  await player.post(path, { customer: customer['id'] }, OK);
  const endsAtMs = book.real.nowMs + CLOCK_LIFE_MS;
  const made = { id: String(clock['id']), method: String(method['id']), endsAtMs };
  book.clocks = [...book.clocks, { nowMs, clock: made }];
}

/** What is due on a clock happens as it advances, and nothing else does. */
export async function advance(player: Player, { pick, ms }: Of<'advance'>): Promise<void> {
  const { book, setup } = player;
  const timeline: Timeline | undefined = player.pick(book.clocks, pick);
  if (timeline?.clock === undefined || waitsForRefund(player, timeline)) return;
  const nowMs = timeline.nowMs + ms;
  const path = `${CLOCKS}/${timeline.clock.id}`;
  await player.post(`${path}/advance`, { frozen_time: toIso(nowMs) }, OK);
  await setup.pass(0);
  const { json } = await player.merchant.get(path);
  if (json['status'] !== 'ready') throw new Error(`The clock is ${JSON.stringify(json)}`);
  passed(book, nowMs, await player.canceledPayouts(), timeline);
  await player.payBySchedule();
}

/** A clock stands until a refund of a host on it was sent, which takes a worker real time. */
function waitsForRefund({ book }: Player, timeline: Timeline): boolean {
  return book.open.some(
    ({ unsent, subject }) =>
      unsent !== undefined && 'charge' in subject && subject.charge.timeline === timeline,
  );
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
