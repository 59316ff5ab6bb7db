import fc from 'fast-check';
import { billingLaws } from '../../../support/billing-laws.ts';
import { type Findings, type Scenario, Tally } from '../../scenario.ts';
import { openSetup, type Setup } from '../setup.ts';
import { adjust } from './adjustment-moves.ts';
import { close, evidence } from './answer-moves.ts';
import { addBank, defaultBank, deleteBank, restoreBank } from './bank-account-moves.ts';
import {
  alert,
  chargeback,
  escalate,
  giveBack,
  resend,
  rule,
  shuffled,
  tell,
} from './bank-moves.ts';
import { cancel, capture, charge } from './charge-moves.ts';
import { advance, newClock } from './clock-moves.ts';
import { attach, defaultMethod, deleteCustomer, detach, renewed } from './customer-moves.ts';
import { debit, returned } from './debit-moves.ts';
import { cancelPayout, payout, payoutPlan } from './payout-moves.ts';
import { assertCosts } from './period-costs.ts';
import { Player } from './player.ts';
import { cancelRefund, refund } from './refund-moves.ts';
import { settlement } from './settlement-moves.ts';
import { shrink } from './shrink.ts';
import { anySteps, type Step } from './steps.ts';
import {
  cancelSubscription,
  cardFails,
  changeSubscription,
  pauseSubscription,
  payInvoice,
  subscribe,
} from './subscription-moves.ts';

const DAY_MS = 86_400_000;
/** In steps: it reads the whole database. */
const VERIFIED_EVERY = 10;
const SETTLED = 'or a person has settled it';
/** For so long a failing sequence is made smaller. */
const MAX_SHRINK_MS = 3 * 60_000;
/** A database that has seen more is slower to verify. */
const RUNS_ON_A_SETUP = 40;

/** Size: sequences of at most 60 steps. */
export const model: Scenario = {
  name: 'model',
  law: 'After each step of any sequence, states, balances, ledger and events are those of a plain model.',
  sizes: { small: 5, nightly: 200, full: 5_000 },
  async run(runs, seed = Math.floor(Math.random() * 2 ** 31)) {
    const tally = new Tally();
    const setups = new Setups();
    try {
      const property = fc.asyncProperty(anySteps, async (steps) => {
        const failure = await play(await setups.next(), steps, tally);
        if (failure !== undefined) throw new Error(failure.text);
      });
      const found = await fc.check(property, { numRuns: runs, seed, endOnFailure: true });
      const [steps] = found.counterexample ?? [];
      const violations = steps === undefined ? [] : [await explain(setups, steps, seed)];
      return { violations, counts: { seed, ...tally.toCounts() } } satisfies Findings;
    } finally {
      await setups.close();
    }
  },
};

/** @returns the shortest sequence that was found to fail, and how it fails */
async function explain(setups: Setups, steps: readonly Step[], seed: number): Promise<string> {
  const endMs = performance.now() + MAX_SHRINK_MS;
  let text = 'it did not fail again';
  await setups.renew();
  const failsAt = async (tried: readonly Step[]): Promise<number | undefined> => {
    const failure = await play(await setups.next(), tried, new Tally());
    if (failure === undefined) return undefined;
    ({ text } = failure);
    // Data that are wrong stay wrong: the next sequence starts with others.
    await setups.renew();
    return failure.index;
  };
  const index = await failsAt(steps);
  const failing = index === undefined ? steps : steps.slice(0, index + 1);
  const shortest = await shrink(failing, failsAt, () => performance.now() < endMs);
  return `seed ${seed}: ${text} after ${JSON.stringify(shortest)}`;
}

/** Each sequence has an account of its own; a setup serves some of them. */
class Setups {
  #setup: Setup | undefined;
  #runs = 0;

  async next(): Promise<Setup> {
    if (this.#runs % RUNS_ON_A_SETUP === 0) {
      await this.close();
      this.#setup = await openSetup();
    }
    this.#runs += 1;
    if (this.#setup === undefined) throw new Error('There is no setup.');
    return this.#setup;
  }

  async renew(): Promise<void> {
    await this.close();
    this.#runs = 0;
  }

  async close(): Promise<void> {
    await this.#setup?.close();
    this.#setup = undefined;
  }
}

interface Failure {
  /** Of the step after which it was seen. */
  readonly index: number;
  readonly text: string;
}

async function play(
  setup: Setup,
  steps: readonly Step[],
  tally: Tally,
): Promise<Failure | undefined> {
  const merchant = await setup.newMerchant();
  const player = new Player(setup, merchant);
  tally.add('sequences');
  try {
    // What is left open at the end becomes known, and nothing else happens.
    for (const [index, step] of [...steps, END].entries()) {
      try {
        await carryOut(player, step);
        await player.compare();
        if (index % VERIFIED_EVERY === 0 || step === END) await verify(setup);
        if (step === END) await assertCosts(player, tally);
      } catch (error) {
        const text = `step ${index + 1} (${step.do}): ${String(error)}`;
        return { index: Math.min(index, steps.length - 1), text };
      }
      if (step !== END) tally.add(`step: ${step.do}`);
    }
    for (const outcome of player.book.outcomes()) tally.add(outcome);
    return undefined;
  } finally {
    await merchant.close();
  }
}

const END: Step = { do: 'pass', ms: 30 * DAY_MS };

async function verify(setup: Setup): Promise<void> {
  // What settlement lines differ in is compared with the book instead.
  const differences = (await setup.verify()).filter((each) => !each.includes(SETTLED));
  differences.push(...(await billingLaws(setup.databaseUrl)));
  if (differences.length > 0) throw new Error(differences.join(' '));
}

/** What each step does. */
const MOVES: {
  readonly [Do in Step['do']]: (player: Player, step: Extract<Step, { do: Do }>) => Promise<void>;
} = {
  charge,
  capture,
  cancel,
  refund,
  cancelRefund,
  adjust,
  attach,
  detach,
  deleteCustomer,
  defaultMethod,
  renewed,
  settlement,
  alert,
  chargeback,
  escalate,
  rule,
  shuffled,
  evidence,
  close,
  debit,
  returned,
  newClock,
  advance,
  payout,
  cancelPayout,
  payoutPlan,
  tell,
  giveBack,
  resend,
  addBank,
  defaultBank,
  deleteBank,
  restoreBank,
  subscribe,
  changeSubscription,
  cancelSubscription,
  pauseSubscription,
  payInvoice,
  cardFails,
  pass: (player, { ms }) => player.pass(ms),
};

/** After them a subscription may be due at once: it has ended, or there is another card to charge. */
const BILLING: ReadonlySet<Step['do']> = new Set([
  'attach',
  'detach',
  'defaultMethod',
  'deleteCustomer',
  'subscribe',
  'changeSubscription',
  'cancelSubscription',
  'pauseSubscription',
  'payInvoice',
]);

async function carryOut(player: Player, step: Step): Promise<void> {
  const move = MOVES[step.do] as (player: Player, step: Step) => Promise<void>;
  await move(player, step);
  if (player.book.subscriptions.length > 0 && BILLING.has(step.do)) await player.bill();
}
