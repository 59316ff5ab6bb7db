import { migrate } from '@paymount/storage-postgres';
import pg from 'pg';
import { Cleanup } from '../support/cleanup.ts';
import { makeSealingKeys } from '../support/make.ts';
import { secretsIn } from '../support/secrets.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { CommitCutter } from './deliveries/commit-cutter.ts';
import { checkDeliveries } from './delivery-laws.ts';
import { type Bank, OFTEN_SILENT, openBank } from './money/bank.ts';
import { Callers } from './money/callers.ts';
import { checkMoney } from './money/check-money.ts';
import { readEverything } from './money/data-and-journal.ts';
import { carryOut, planFaults } from './money/faults.ts';
import { Fleet, type Role } from './money/fleet.ts';
import { goShopping, type Market } from './money/flows.ts';
import { addBankAccounts, openParties } from './money/parties.ts';
import { comeToRest, REST_LIMIT_MS, waitInRealTime } from './money/recovery.ts';
import { SeededRandom } from './money/seeded-random.ts';
import { SHOP_TABLES } from './money/shop.ts';
import { openWebhooks } from './money/webhooks.ts';
import { startRestartablePostgres } from './restartable-postgres.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { RECEIVER_CA } from './webhook-log.ts';

/** One database, its merchants, processes and faults. */
interface Plan {
  readonly seed: number;
  readonly merchants: number;
  readonly roles: readonly Role[];
  readonly shoppers: number;
  /** Each kind of fault happens once in a round. */
  readonly rounds: number;
  /** With an adapter that breaks its contract. */
  readonly isHasty?: true;
}

const SMALL_SEED = 1;
const REPLAYS = 40;
/** What hosts log when something came out later than it should. */
const TOLD = ['A result kept being raced', 'A result could not be recorded'] as const;
const FEW = 2;
const MANY = 60;

/** Size is the number of rounds of faults, half of them with two merchants and half with sixty. */
export const money: Scenario = {
  name: 'money',
  law: "Whatever dies, the bank's journal, charges, disputes, payouts, ledger, events and deliveries agree.",
  sizes: { small: 1, nightly: 8, full: 80 },
  async run(rounds, seed = rounds === 1 ? SMALL_SEED : Math.floor(Math.random() * 2 ** 32)) {
    const tally = new Tally();
    const violations: string[] = [];
    for (const plan of buildPlans(rounds, seed)) {
      const found = await runPlan(plan, tally);
      const where = `seed ${seed}, ${plan.merchants} merchants`;
      violations.push(...found.map((sentence) => `${where}: ${sentence}`));
    }
    return { violations, counts: { seed, ...tally.toCounts() } } satisfies Findings;
  },
};

/** The comparison must see what is wrong: an adapter that guesses loses money. */
export const hastyAdapter: Scenario = {
  name: 'money-hasty-adapter',
  law: 'An adapter that calls a silence a decline is caught charging for nothing.',
  sizes: { small: 1, nightly: 1, full: 3 },
  async run(rounds, seed = SMALL_SEED) {
    const tally = new Tally();
    const roles = ['api', 'api', 'worker'] as const;
    const plan = { seed, merchants: FEW, roles, shoppers: 6, rounds, isHasty: true } as const;
    const found = await runPlan(plan, tally);
    const caught = found.filter((sentence) => CAUGHT.test(sentence)).length;
    return {
      violations: caught > 0 ? [] : ['Nothing was seen: this harness could not show it.'],
      counts: { 'charges and refunds that disagree, as they must': caught },
    };
  },
};

const CAUGHT = /(Charge|Refund) \S+ is failed.*, and by the bank's journal succeeded/;

function buildPlans(rounds: number, seed: number): readonly Plan[] {
  if (rounds === 1) {
    const roles = ['api', 'api', 'worker'] as const;
    return [{ seed, merchants: FEW, roles, shoppers: 6, rounds }];
  }
  const roles = ['api', 'api', 'worker', 'worker', 'worker'] as const;
  return [FEW, MANY].map((merchants) => ({
    seed: seed + merchants,
    merchants,
    roles,
    shoppers: 12,
    rounds: Math.ceil(rounds / 2),
  }));
}

async function runPlan(plan: Plan, tally: Tally): Promise<readonly string[]> {
  const cleanup = new Cleanup();
  try {
    return await play(plan, tally, cleanup);
  } finally {
    await cleanup.run();
  }
}

async function play(plan: Plan, tally: Tally, cleanup: Cleanup): Promise<readonly string[]> {
  const random = new SeededRandom(plan.seed);
  const postgres = await startRestartablePostgres((text) => {
    tally.add('deadlocks in the log of the database', text.split('deadlock detected').length - 1);
  });
  cleanup.onEnd(() => postgres.stop());
  const { url: databaseUrl } = postgres;
  await migrate({ connection: databaseUrl });
  await execute(databaseUrl, SHOP_TABLES);
  const proxy = await openTcpProxy(databaseUrl);
  cleanup.add(proxy);
  const bank = await openBank(
    new SeededRandom(random.between(0, 2 ** 32 - 1)),
    plan.isHasty ? OFTEN_SILENT : undefined,
  );
  cleanup.add(bank);
  const sealingKeys = makeSealingKeys();
  const parties = await openParties(databaseUrl, sealingKeys, plan.merchants);
  cleanup.onEnd(() => Promise.all(parties.map(({ client }) => client.close())));
  const fleet = new Fleet(
    plan.roles.map((role, number) => ({
      databaseUrl: proxy.url,
      sealingKeys,
      ca: RECEIVER_CA,
      ...(role === 'worker' && { worker: {} }),
      shop: { bankUrl: bank.url, sharesKnex: number % 2 === 1, isHasty: plan.isHasty ?? false },
    })),
    tally,
  );
  cleanup.add(fleet);
  await fleet.start();
  const { log, violations: unverified } = await openWebhooks(fleet, parties);
  cleanup.add(log);
  await addBankAccounts(databaseUrl, fleet.apis()[0] ?? '', parties);
  bank.reportTo(() => fleet.apis());
  const callers = new Callers(fleet, random, tally);
  const market: Market = { parties, callers, random, isClosed: false };
  const shoppers = Promise.all(Array.from({ length: plan.shoppers }, () => goShopping(market)));
  // A shopper that throws ends the run below.
  shoppers.catch(() => undefined);
  const faults = planFaults(new SeededRandom(plan.seed), plan.rounds);
  const cutter = new CommitCutter(proxy, random);
  await carryOut(faults, { fleet, postgres, cutter, databaseUrl, random, tally });
  const overMs = performance.now();
  market.isClosed = true;
  callers.losePatience();
  bank.calmDown();
  await shoppers;
  const recovering = { databaseUrl, fleet, callers, bank, tally };
  const late = plan.rounds > 1 ? await waitInRealTime(recovering, overMs) : [];
  const pending = await comeToRest(recovering, plan.rounds > 1 ? performance.now() : overMs);
  await callers.replay(REPLAYS);
  countWork(bank, callers, tally);
  for (const line of TOLD) tally.add(`log: ${line}`, fleet.output().split(line).length - 1);
  return [
    ...fleet.violations,
    ...callers.violations,
    ...bank.violations,
    ...[...late, ...pending].map(
      (sentence) => `${REST_LIMIT_MS / 1_000} s after the last fault: ${sentence}`,
    ),
    ...checkMoney(await readEverything(databaseUrl, bank, callers.asked)),
    ...unverified,
    ...(await checkDeliveries(databaseUrl, log, tally)),
    ...secretsIn(fleet.output()).map((secret) => `A process printed ${secret}.`),
  ];
}

function countWork(bank: Bank, callers: Callers, tally: Tally): void {
  const { cases, lateReturns, returnedPayouts, settlements } = bank.aftermath;
  tally.add('lines in the journal', bank.journal.length);
  tally.add('notices delivered', bank.delivered);
  tally.add('disputes at the bank', cases.length);
  tally.add('debits that came back late', lateReturns.length);
  tally.add('payouts that came back', returnedPayouts.length);
  tally.add('settlement lines', settlements.length);
  for (const { via, what, answer } of callers.asked) {
    tally.add(`${what} by ${via}: ${answer?.verdict ?? 'unknown'}`);
  }
}

async function execute(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}
