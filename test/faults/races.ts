import { randomUUID } from 'node:crypto';
import { query } from '../support/database.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import type { ApiAnswer } from './api-client.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

const REFUNDS_AT_ONCE = 20;
const CALLS_PER_KEY = 50;
const ACTIONS_AT_ONCE = 18;

/** A race runs against two host processes, so that nothing in memory can hold it together. */
interface Ring {
  readonly setting: Setting;
  readonly urls: readonly [string, string];
  readonly tally: Tally;
  readonly violations: string[];
}

/** Never more than one of 20 simultaneous refunds of 60 succeeds on a charge of 100. */
export const refunds: Scenario = {
  name: 'refunds',
  law: 'Of 20 simultaneous refunds of 60 on a charge of 100 exactly one succeeds.',
  sizes: { small: 10, nightly: 100, full: 500 },
  run: (rounds) => inRing(rounds, refundRound),
};

/** 50 requests with one key make one charge, and say so in the same bytes. */
export const oneKey: Scenario = {
  name: 'one-key',
  law: '50 requests with one Idempotency-Key make one charge; each answer is the same bytes or a 409.',
  sizes: { small: 6, nightly: 50, full: 200 },
  run: (rounds) => inRing(rounds, oneKeyRound),
};

/** An authorization is captured or canceled, never both. */
export const actions: Scenario = {
  name: 'actions',
  law: 'Captures, cancels and refunds race for one authorization; it ends in one way.',
  sizes: { small: 6, nightly: 50, full: 200 },
  run: (rounds) => inRing(rounds, actionRound),
};

async function inRing(
  rounds: number,
  round: (ring: Ring, number: number) => Promise<void>,
): Promise<Findings> {
  return withSetting(async (setting) => {
    const [first, second] = await Promise.all([setting.start(), setting.start()]);
    const ring: Ring = {
      setting,
      urls: [first.url, second.url],
      tally: new Tally(),
      violations: [],
    };
    for (let number = 0; number < rounds; number += 1) await round(ring, number);
    const found = await verifyDatabase(setting.databaseUrl, 'at rest');
    // No worker runs in a race: what is waiting to be sent is no finding.
    const ofMoney = found.filter((sentence) => !sentence.startsWith('A delivery'));
    return { violations: [...ring.violations, ...ofMoney], counts: ring.tally.toCounts() };
  });
}

/** Sends one request per call at once, to the two processes in turn. */
async function race(
  { setting, urls, tally }: Ring,
  calls: readonly { readonly path: string; readonly body: object; readonly key?: string }[],
): Promise<readonly ApiAnswer[]> {
  const answers = await Promise.all(
    calls.map(({ path, body, key }, index) =>
      setting.merchant.client.post(`${urls[index % 2]}${path}`, body, key),
    ),
  );
  for (const { status, code } of answers) tally.add(code ?? String(status));
  return answers;
}

async function charge({ setting, urls }: Ring, body: object): Promise<string> {
  const made = await setting.merchant.client.post(`${urls[0]}/v1/charges`, {
    amount: 100,
    currency: 'eur',
    payment_method: 'pm_card_visa',
    ...body,
  });
  if (made.status !== 200) throw new Error(`No charge could be made: ${made.text}`);
  return String(made.json['id']);
}

/** Whatever loses a race must be told so in these words. */
const LOST: ReadonlySet<string> = new Set([
  'operation_in_progress',
  'lock_timeout',
  'refund_amount_exceeds_charge',
  'status_transition_invalid',
  'charge_already_captured',
  'charge_already_refunded',
  'charge_not_refundable',
]);

function refuseOddities(ring: Ring, answers: readonly ApiAnswer[], where: string): void {
  for (const { status, code, text } of answers) {
    if (status === 200 || ([400, 409, 429].includes(status) && LOST.has(code ?? ''))) continue;
    ring.violations.push(`${where}: an answer was ${status} ${text.slice(0, 300)}`);
  }
}

async function refundRound(ring: Ring, number: number): Promise<void> {
  const id = await charge(ring, {});
  const call = { path: '/v1/refunds', body: { charge: id, amount: 60 } };
  const answers = await race(
    ring,
    Array.from({ length: REFUNDS_AT_ONCE }, () => call),
  );
  refuseOddities(ring, answers, `Round ${number}`);
  const succeeded = answers.filter(({ status }) => status === 200).length;
  if (succeeded !== 1) ring.violations.push(`Round ${number}: ${succeeded} refunds succeeded.`);
  const after = await ring.setting.merchant.client.get(`${ring.urls[1]}/v1/charges/${id}`);
  if (after.json['amount_refunded'] !== 60) {
    ring.violations.push(`Round ${number}: ${String(after.json['amount_refunded'])} is refunded.`);
  }
}

async function oneKeyRound(ring: Ring, number: number): Promise<void> {
  const key = randomUUID();
  const body = {
    amount: 4200,
    currency: 'eur',
    payment_method: 'pm_card_visa',
    metadata: { round: key },
  };
  const call = { path: '/v1/charges', body, key };
  const answers = await race(
    ring,
    Array.from({ length: CALLS_PER_KEY }, () => call),
  );
  const [last] = await race(ring, [call]);
  if (last?.headers['idempotent-replayed'] !== 'true') {
    ring.violations.push(`Round ${number}: the key was not replayed afterwards.`);
  }
  for (const { status, code, text } of answers) {
    const isInUse = status === 409 && code === 'idempotency_key_in_use';
    if (isInUse || (status === 200 && text === last?.text)) continue;
    ring.violations.push(`Round ${number}: an answer was ${status} ${text.slice(0, 300)}`);
  }
  const charges = await query<{ id: string }>(
    ring.setting.databaseUrl,
    `SELECT id FROM paymount.charges WHERE metadata->>'round' = $1`,
    [key],
  );
  if (charges.length !== 1) {
    ring.violations.push(`Round ${number}: one key made ${charges.length} charges.`);
  }
}

async function actionRound(ring: Ring, number: number): Promise<void> {
  const id = await charge(ring, { capture: false });
  const kinds = [
    { path: `/v1/charges/${id}/capture`, body: {} },
    { path: `/v1/charges/${id}/cancel`, body: {} },
    { path: '/v1/refunds', body: { charge: id } },
  ] as const;
  const calls = Array.from({ length: ACTIONS_AT_ONCE }, (_, index) => kinds[index % 3] ?? kinds[0]);
  const answers = await race(ring, calls);
  refuseOddities(ring, answers, `Round ${number}`);
  const won = (kind: number): number =>
    answers.filter(({ status }, index) => status === 200 && index % 3 === kind).length;
  const [captures, cancels, refundsMade] = [won(0), won(1), won(2)];
  // A refund may follow a capture, or be the cancel itself.
  const isFair = captures + cancels <= 1 && refundsMade <= 1 && cancels + refundsMade <= 1;
  const happened = captures + cancels + refundsMade;
  if (isFair && happened > 0) return;
  ring.violations.push(
    `Round ${number}: ${captures} captures, ${cancels} cancels, ${refundsMade} refunds succeeded.`,
  );
}
