import { type Findings, type Scenario, Tally } from '../scenario.ts';
import {
  allPairs,
  type Carried,
  call,
  chargebackOf,
  isFair,
  type Pair,
  permitted,
  type Target,
  type Verb,
} from './race-verbs.ts';
import { type Merchant, openSetup, type Setup } from './setup.ts';

const AT_ONCE = 20;
const THREE_DAYS_MS = 3 * 86_400_000;
/** Notices that came before what they are about are tried again within it. */
const RETRY_MS = 61_000;

interface Race {
  readonly setup: Setup;
  readonly tally: Tally;
  readonly violations: string[];
}

/** Size: rounds for each pair. */
export const races: Scenario = {
  name: 'races',
  law: 'Of 20 calls at once for two verbs on one account, only what is permitted is carried out.',
  sizes: { small: 1, nightly: 50, full: 500 },
  run: (rounds) => race(allPairs(), rounds),
};

const MONEY: readonly Verb[] = ['refund', 'chargeback', 'payout'];

/** The pairs that take money from one balance, for longer. */
export const moneyRaces: Scenario = {
  name: 'races-of-money',
  law: 'Of 20 refunds, chargebacks and payouts at once on one balance, only what it covers is carried out.',
  sizes: { small: 2, nightly: 100, full: 500 },
  run: (rounds) =>
    race(
      allPairs().filter((pair) => pair.every((verb) => MONEY.includes(verb))),
      rounds,
    ),
};

async function race(pairs: readonly Pair[], rounds: number): Promise<Findings> {
  const race: Race = { setup: await openSetup(), tally: new Tally(), violations: [] };
  const { setup, tally, violations } = race;
  try {
    for (let round = 0; round < rounds; round += 1) await racePairs(race, pairs);
    violations.push(...(await setup.verify()));
    tally.add('deadlocks that the database ended', await setup.deadlocks());
  } finally {
    await setup.close();
  }
  return { violations, counts: tally.toCounts() };
}

/** All targets are prepared together, because their funds become available together. */
async function racePairs(race: Race, pairs: readonly Pair[]): Promise<void> {
  const targets: Target[] = [];
  for (const pair of pairs) targets.push(await prepare(race.setup, pair));
  await race.setup.pass(THREE_DAYS_MS);
  const answered: Answered[] = [];
  for (const target of targets) answered.push(await raceOnce(race, target));
  await race.setup.noticesTried();
  await race.setup.pass(RETRY_MS);
  for (const [index, target] of targets.entries()) await judge(race, target, answered[index]);
  await Promise.all(targets.map(({ merchant }) => merchant.close()));
  race.tally.add('rounds of each pair');
}

/** How many calls of each verb were answered 200. */
type Answered = Readonly<Record<string, number>>;

async function prepare(setup: Setup, pair: Pair): Promise<Target> {
  const isAuthorized = pair.includes('capture') || pair.includes('cancel');
  const isDisputed = pair.includes('close');
  const merchant = await setup.newMerchant();
  const method = await make(merchant, 'payment_methods', { type: 'card', card: { token: 'tok' } });
  const customer = await make(merchant, 'customers');
  await make(merchant, `payment_methods/${method}/attach`, { customer });
  const sale = { amount: 100, currency: 'eur', payment_method: method };
  const charge = await make(merchant, 'charges', { ...sale, capture: !isAuthorized });
  // What is paid out does not come from a charge that is only authorized, or disputed already.
  const isSpent = isAuthorized || isDisputed;
  if (isSpent && pair.includes('payout')) await make(merchant, 'charges', sale);
  const disputed = isAuthorized && isDisputed ? await make(merchant, 'charges', sale) : charge;
  const dispute = isDisputed ? await openDispute(setup, merchant, disputed) : '';
  return {
    pair,
    merchant,
    charge,
    dispute,
    method,
    isAuthorized,
    reference: referenceOf(setup, charge),
  };
}

async function make(merchant: Merchant, path: string, body: object = {}): Promise<string> {
  const { status, json, text } = await merchant.post(path, body);
  if (status !== 200) throw new Error(`POST ${path} was answered ${text}`);
  return String(json['id']);
}

function referenceOf({ bank }: Setup, charge: string): string {
  return bank.journal.get(charge)?.[0]?.reference ?? '';
}

async function openDispute(setup: Setup, merchant: Merchant, charge: string): Promise<string> {
  await setup.notify([chargebackOf(setup, referenceOf(setup, charge))]);
  await setup.noticesTried();
  const { json } = await merchant.get(`charges/${charge}`);
  return String(json['dispute']);
}

async function raceOnce({ setup, tally, violations }: Race, target: Target): Promise<Answered> {
  const { pair } = target;
  const verbs = Array.from({ length: AT_ONCE }, (_, index): Verb => pair[index % 2 === 0 ? 0 : 1]);
  const answers = await Promise.all(verbs.map((verb) => call(setup, target, verb)));
  const answered: Record<string, number> = {};
  for (const [index, answer] of answers.entries()) {
    const verb = verbs[index] ?? pair[0];
    tally.add(`${verb}: ${answer.code ?? answer.status}`);
    if (answer.status === 200) answered[verb] = (answered[verb] ?? 0) + 1;
    if (isFair(verb, answer)) continue;
    violations.push(`${pair.join(' and ')}: ${verb} was answered ${answer.status} ${answer.text}`);
  }
  return answered;
}

interface Listed {
  readonly id: string;
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly status: string;
  readonly charge: string;
  readonly balance_transaction: string | null;
}

async function judge(
  { setup, tally, violations }: Race,
  { pair, merchant, charge }: Target,
  answered: Answered = {},
): Promise<void> {
  const found = (sentence: string): void => {
    violations.push(`${pair.join(' and ')}, charge ${charge}: ${sentence}`);
  };
  const list = async (path: string) =>
    ((await merchant.get(`${path}?limit=100`)).json['data'] ?? []) as readonly Listed[];
  const charges = await list('charges');
  const [refunds, disputes, payouts] = [
    await list('refunds'),
    await list('disputes'),
    await list('payouts'),
  ];
  const carried: Carried = {
    ...Object.fromEntries(pair.map((verb) => [verb, answered[verb] ?? 0])),
    ...(pair.includes('chargeback') && {
      chargeback: disputes.filter((dispute) => dispute.charge === charge).length,
    }),
  };
  const text = describe(carried, pair);
  tally.add(`${pair.join(' and ')}: ${text}`);
  const may = permitted(pair).map((each) => describe(each, pair));
  if (!may.includes(text)) found(`carried out were ${text}; permitted are ${may.join(' or ')}.`);
  if (refunds.length !== (answered['refund'] ?? 0)) found(`it has ${refunds.length} refunds.`);
  if (payouts.length !== (answered['payout'] ?? 0)) found(`there are ${payouts.length} payouts.`);
  const executed = (setup.bank.journal.get(charge) ?? []).filter(
    ({ kind }) => kind !== 'authorize',
  );
  if (executed.length > 1) found(`the bank executed ${executed.map(({ kind }) => kind).join()}.`);
  const booked =
    sum(charges, ({ amount_captured }) => amount_captured) -
    sum(refunds, (refund) => (refund.balance_transaction === null ? 0 : refund.amount)) -
    sum(disputes, ({ amount }) => amount) -
    sum(payouts, ({ amount }) => amount);
  const { json } = await merchant.get('balance');
  const balance = sum(
    [json['available'], json['pending']].flat() as readonly Listed[],
    ({ amount }) => amount,
  );
  if (balance !== booked) found(`the balance is ${balance}, and its objects sum to ${booked}.`);
}

function describe(carried: Carried, pair: Pair): string {
  return [...new Set(pair)].map((verb) => `${carried[verb] ?? 0} ${verb}`).join(', ');
}

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + amountOf(item), 0);
}
