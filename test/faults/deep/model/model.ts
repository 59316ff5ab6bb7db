import fc from 'fast-check';
import { type Findings, type Scenario, Tally } from '../../scenario.ts';
import { openStage, type Stage } from '../stage.ts';
import {
  addBank,
  alert,
  cancelPayout,
  chargeback,
  escalate,
  evidence,
  giveBack,
  payout,
  resend,
  rule,
  shuffled,
  tell,
} from './bank-moves.ts';
import { attach, cancel, capture, charge, deleteCustomer, detach, refund } from './charge-moves.ts';
import { Player } from './player.ts';
import { anySteps, type Step } from './steps.ts';

const DAY_MS = 86_400_000;
/** In steps: it reads the whole database. */
const VERIFIED_EVERY = 10;
/** For so long a failing sequence is made smaller. */
const MAX_SHRINK_MS = 3 * 60_000;
/** A database that has seen more is slower to verify. */
const RUNS_ON_A_STAGE = 40;

/** Size: sequences of at most 60 steps. */
export const model: Scenario = {
  name: 'model',
  law: 'After each step of any sequence, states, balances, ledger and events are those of a plain model.',
  sizes: { small: 2, nightly: 200, full: 5_000 },
  async run(runs, seed = Math.floor(Math.random() * 2 ** 31)) {
    const tally = new Tally();
    const stages = new Stages();
    try {
      let shrinkUntilMs = Number.POSITIVE_INFINITY;
      const property = fc.asyncProperty(anySteps, async (steps) => {
        if (performance.now() > shrinkUntilMs) return;
        try {
          await play(await stages.next(), steps, tally);
        } catch (error) {
          shrinkUntilMs = Math.min(shrinkUntilMs, performance.now() + MAX_SHRINK_MS);
          throw error;
        }
      });
      const found = await fc.check(property, { numRuns: runs, seed });
      const violations = found.failed
        ? [
            `seed ${seed}, path ${found.counterexamplePath}: ${String(found.errorInstance)} after ${JSON.stringify(found.counterexample?.[0])}`,
          ]
        : [];
      return { violations, counts: { seed, ...tally.toCounts() } } satisfies Findings;
    } finally {
      await stages.close();
    }
  },
};

/** Each sequence has an account of its own; a stage serves some of them. */
class Stages {
  #stage: Stage | undefined;
  #runs = 0;

  async next(): Promise<Stage> {
    if (this.#runs % RUNS_ON_A_STAGE === 0) {
      await this.close();
      this.#stage = await openStage();
    }
    this.#runs += 1;
    if (this.#stage === undefined) throw new Error('There is no stage.');
    return this.#stage;
  }

  async close(): Promise<void> {
    await this.#stage?.close();
    this.#stage = undefined;
  }
}

async function play(stage: Stage, steps: readonly Step[], tally: Tally): Promise<void> {
  const merchant = await stage.newMerchant();
  try {
    const player = new Player(stage, merchant);
    tally.add('sequences');
    for (const [index, step] of steps.entries()) {
      try {
        await carryOut(player, step);
        await player.compare();
        if (index % VERIFIED_EVERY === 0) await verify(stage);
      } catch (error) {
        throw new Error(`step ${index + 1} (${step.do}): ${String(error)}`);
      }
      tally.add(`step: ${step.do}`);
    }
    // What is left open ends, and nothing else happens.
    await player.pass(30 * DAY_MS);
    await player.compare();
    await verify(stage);
  } finally {
    await merchant.close();
  }
}

async function verify(stage: Stage): Promise<void> {
  const differences = await stage.verify();
  if (differences.length > 0) throw new Error(differences.join(' '));
}

/** What each step does. */
const MOVES: {
  readonly [Do in Step['do']]: (player: Player, step: Extract<Step, { do: Do }>) => Promise<void>;
} = {
  ...{ charge, capture, cancel, refund, attach, detach, deleteCustomer },
  ...{ alert, chargeback, escalate, rule, shuffled, evidence, close: evidence },
  ...{ payout, cancelPayout, addBank, tell, giveBack, resend },
  pass: (player, { ms }) => player.pass(ms),
};

function carryOut(player: Player, step: Step): Promise<void> {
  const move = MOVES[step.do] as (player: Player, step: Step) => Promise<void>;
  return move(player, step);
}
