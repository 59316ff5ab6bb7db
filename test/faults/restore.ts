import type { RingKey } from '@paymount/auth';
import { migrate } from '@paymount/storage-postgres';
import { createPaymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { Cleanup } from '../support/cleanup.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { SILENT } from '../support/host.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { type Host, startHost } from './host.ts';
import { type Merchant, openMerchant } from './merchant.ts';
import { type RestartablePostgres, startRestartablePostgres } from './restartable-postgres.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';

const BUYERS = 8;
/** Acknowledged before a copy begins, while it is made, and before the next one. */
const CHARGES_BETWEEN = 40;
/** Lost answers are looked up, and funds become available, in it. */
const RECOVERY_MS = 3 * 86_400_000;

/** Invariant M12: a restored backup has the same sums. Size is the number of backups under load. */
export const restore: Scenario = {
  name: 'restore',
  law: 'A backup that is taken under load lacks nothing that was acknowledged before, and verifies.',
  sizes: { small: 1, nightly: 5, full: 20 },
  async run(size) {
    const cleanup = new Cleanup();
    try {
      return await play(size, cleanup);
    } finally {
      await cleanup.run();
    }
  },
};

interface Setup {
  readonly postgres: RestartablePostgres;
  readonly host: Host;
  readonly merchant: Merchant;
  /** The charges that were answered, and of how many of them a refund was. */
  readonly acknowledged: Map<string, 'charged' | 'refunded'>;
  readonly tally: Tally;
}

async function play(size: number, cleanup: Cleanup): Promise<Findings> {
  const postgres = await startRestartablePostgres(() => undefined);
  cleanup.onEnd(() => postgres.stop());
  await migrate({ connection: postgres.url });
  const merchant = await openMerchant(postgres.url);
  cleanup.add(merchant);
  const { sealingKeys } = merchant;
  const host = await startHost({ databaseUrl: postgres.url, sealingKeys, worker: {} });
  cleanup.onEnd(() => host.kill());
  const setup: Setup = { postgres, host, merchant, acknowledged: new Map(), tally: new Tally() };
  const violations: string[] = [];
  const shopping = { isOver: false };
  const buyers = Promise.all(Array.from({ length: BUYERS }, () => buy(setup, shopping)));
  // A buyer that throws ends the run below.
  buyers.catch(() => undefined);
  for (let round = 0; round < size; round += 1) violations.push(...(await backUpUnderLoad(setup)));
  shopping.isOver = true;
  await buyers;
  await host.drain();
  await host.rest();
  violations.push(...(await backUpAtRest(setup)));
  setup.tally.add('charges', setup.acknowledged.size);
  return { violations, counts: setup.tally.toCounts() };
}

/** Charges cards, and refunds every other charge. */
async function buy(setup: Setup, shopping: { readonly isOver: boolean }): Promise<void> {
  const { host, merchant, acknowledged } = setup;
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await merchant.client.post(`${host.url}/v1/${path}`, body);
    if (answer.status !== 200) throw new Error(`POST ${path} was answered ${answer.text}`);
    return String(answer.json['id']);
  };
  for (let count = 0; !shopping.isOver; count += 1) {
    const charge = await post('charges', { amount: 100, currency: 'eur', source: 'tok_visa' });
    acknowledged.set(charge, 'charged');
    if (count % 2 === 0) continue;
    await post('refunds', { charge });
    acknowledged.set(charge, 'refunded');
  }
}

async function backUpUnderLoad(setup: Setup): Promise<readonly string[]> {
  const { postgres, acknowledged, merchant, tally } = setup;
  const more = async (): Promise<void> => {
    const enough = acknowledged.size + CHARGES_BETWEEN;
    await eventually(() => acknowledged.size >= enough);
  };
  await more();
  const before = new Map(acknowledged);
  const copy = await postgres.restoreCopy(more);
  tally.add('backups under load');
  try {
    return [
      ...(await missingFrom(copy.url, before)),
      ...(await verifyDatabase(copy.url, 'under way')),
      ...(await recover(copy.url, merchant.sealingKeys)),
      ...(await verifyDatabase(copy.url, 'at rest')),
    ];
  } finally {
    await copy.stop();
  }
}

/** Charges that were acknowledged before the backup, and are not in it as they were. */
async function missingFrom(url: string, before: Setup['acknowledged']): Promise<readonly string[]> {
  const rows = await query<{ id: string; refunded: boolean }>(
    url,
    `SELECT id, amount_refunded = amount AS refunded FROM paymount.charges
      WHERE status = 'succeeded'`,
  );
  const restored = new Map(rows.map(({ id, refunded }) => [id, refunded]));
  return [...before].flatMap(([id, state]) => {
    if (restored.get(id) === undefined) return [`Charge ${id} is not in the backup.`];
    const lacks = state === 'refunded' && restored.get(id) === false;
    return lacks ? [`The refund of charge ${id} is not in the backup.`] : [];
  });
}

/** Starts Paymount on the backup, as an operator does, and lets a worker finish what was under way. */
async function recover(
  database: string,
  sealingKeys: readonly RingKey[],
): Promise<readonly string[]> {
  const clock = fakeClock();
  const paymount = await createPaymount({ database, sealingKeys, clock, logger: SILENT });
  try {
    const found = [...(await paymount.verify())];
    const worker = await startWorker(paymount);
    for (const wait of [0, RECOVERY_MS, RECOVERY_MS]) {
      clock.advance(wait);
      await worker.drain();
    }
    await worker.close();
    found.push(...(await paymount.verify()));
    return found.map((difference) => JSON.stringify(difference));
  } finally {
    await paymount.close();
  }
}

/** Nothing runs, so that the sums of the backup are those of the server. */
async function backUpAtRest({ postgres, tally }: Setup): Promise<readonly string[]> {
  const copy = await postgres.restoreCopy();
  tally.add('backups at rest');
  try {
    const [kept, restored] = [await sumsOf(postgres.url), await sumsOf(copy.url)];
    if (restored === kept) return [];
    return [`The sums of the backup are ${restored}; those of the server are ${kept}.`];
  } finally {
    await copy.stop();
  }
}

/** The sum of each ledger account, and the number of charges, refunds and events. */
async function sumsOf(url: string): Promise<string> {
  const rows = await query(
    url,
    `SELECT a.code, a.currency, sum(e.amount)::text AS sum, count(*)::text AS entries,
        (SELECT count(*)::text FROM paymount.charges) AS charges,
        (SELECT count(*)::text FROM paymount.refunds) AS refunds,
        (SELECT count(*)::text FROM paymount.events) AS events
      FROM paymount.ledger_account a JOIN paymount.ledger_entry e ON e.ledger_account_id = a.id
      GROUP BY a.id, a.code, a.currency ORDER BY a.id`,
  );
  return JSON.stringify(rows);
}
