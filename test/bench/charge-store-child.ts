import { randomUUID } from 'node:crypto';
import { DispatchHub } from '@paymount/core/events';
import { type AccountId, type Call, newId, noCrashPoint, noTelemetry } from '@paymount/core/kernel';
import {
  ChargeService,
  OperationRunner,
  operationStorage,
  paymentSubjects,
  type SubjectLoaders,
} from '@paymount/core/payments';
import { createPostgresStorage } from '@paymount/storage-postgres';
import pg from 'pg';
import { percentile } from '../support/statistics.ts';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';
import { instantProcessor } from './instant-processor.ts';
import type { RecordedOperation } from './pgbench-script.ts';
import { StatementRecorder } from './recorded-statements.ts';
import { CURRENCY, FIRST_ACCOUNT, FIRST_ENDPOINT } from './seeds.ts';
import { silentLogger } from './silent-logger.ts';

/**
 * The service of charges on PostgreSQL, without HTTP, with a processor that answers at once: both
 * transactions of each charge, under an idempotency key.
 */
const connections = Number(process.env['BENCH_CONNECTIONS']);
const accounts = Number(process.env['BENCH_ACCOUNTS']);
const pool = new pg.Pool({
  connectionString: process.env['BENCH_DATABASE_URL'],
  max: connections,
});
const recorder = new StatementRecorder();
if (process.env['BENCH_RECORD'] === 'on') recorder.listen(pool);
const postgres = createPostgresStorage({ connection: pool, dispatch: new DispatchHub() });
const { storage } = postgres;

const unused = async (): Promise<never> => {
  throw new Error('A charge of this benchmark is settled with its subject in hand.');
};
const subjects: SubjectLoaders = {
  authorize: unused,
  capture: unused,
  cancel: unused,
  refund: unused,
  payout: unused,
  submit_evidence: unused,
  accept_dispute: unused,
};
const processors = { live: instantProcessor, test: instantProcessor };
const ports = {
  storage,
  processors,
  clock: systemClock,
  logger: silentLogger,
  telemetry: noTelemetry,
  crashPoint: noCrashPoint,
  sealer: { seal: unused, open: unused },
  fingerprintNumber: () => '',
};
const charges = new ChargeService({
  ...ports,
  runner: new OperationRunner({
    ...ports,
    storage: operationStorage(storage, paymentSubjects(subjects)),
  }),
  rules: {
    fees: () => ({ amount: 0, details: [] }),
    disputeFees: () => ({ amount: 0, details: [] }),
    authorizationDays: () => 7,
  },
});

function toCall(account: number): Call {
  const owner = {
    accountId: String(FIRST_ACCOUNT + BigInt(account)) as AccountId,
    environment: 'test',
  } as const;
  const requestId = newId('req');
  const created = new Date();
  return {
    requestId,
    principal: { ...owner, kind: 'host', scopes: 'all' },
    claim: {
      ...owner,
      requestId,
      key: randomUUID(),
      credential: 'host',
      fingerprint: 'f'.repeat(64),
      created,
      lockedUntil: new Date(created.getTime() + 60_000),
    },
  };
}

async function charge(account: number): Promise<void> {
  const charged = await charges.create(toCall(account), {
    amount: 1999,
    currency: CURRENCY,
    payment_method: 'pm_card_visa',
    capture: true,
    metadata: { order: '6735' },
  });
  if (charged.status !== 'succeeded') throw new Error(`A charge is ${charged.status}.`);
}

/** One charge per account: connections are open, statements prepared, ledgers known. */
async function prime(): Promise<void> {
  let next = 0;
  await concurrently(async () => {
    while (next < accounts) {
      next += 1;
      await charge(next - 1);
    }
  });
}

async function run(seconds: number) {
  const latencies: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  await concurrently(async () => {
    for (let atMs = performance.now(); atMs < endMs; ) {
      await charge(Math.floor(Math.random() * accounts));
      const doneMs = performance.now();
      latencies.push(doneMs - atMs);
      atMs = doneMs;
    }
  });
  return {
    operations: latencies.length,
    seconds: (performance.now() - startedMs) / 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

async function concurrently(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: connections }, work));
}

/** What one charge of an account sends to PostgreSQL, once everything is known and prepared. */
async function record(account: number): Promise<RecordedOperation> {
  await charge(account);
  return {
    account: String(FIRST_ACCOUNT + BigInt(account)),
    endpoint: String(FIRST_ENDPOINT + BigInt(account)),
    statements: await recorder.record(() => charge(account)),
  };
}

answerCommands({ prime, run, record }, async () => {
  await postgres.close();
  await pool.end();
});
