import { randomBytes } from 'node:crypto';
import { KeyRing, SecretBox } from '@paymount/auth';
import { type DeliveryQueue, DispatchHub, EndpointService } from '@paymount/core/events';
import { type AccountId, newId, noCrashPoint, noTelemetry } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import {
  createDeliveryClient,
  createUrlValidator,
  startWorker,
  type Worker,
} from '@paymount/webhooks';
import { createSigningSecret } from 'paymount-receiver/internal';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';
import { Outstanding } from './outstanding.ts';
import { sampleEvent } from './sample-event.ts';
import { FIRST_ACCOUNT } from './seeds.ts';
import { silentLogger } from './silent-logger.ts';

/**
 * One process that commits events, each in a transaction of its own, delivers them, and logs the
 * attempts. A delivery counts as done when its attempt is committed to the log.
 */
const OUTSTANDING = 512;
const HANDS = 16;
/** Accounts that share the endpoints: each event goes to all of its account's. */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS']);

const dispatch = new DispatchHub();
const postgres = createPostgresStorage({
  connection: process.env['BENCH_DATABASE_URL'] ?? '',
  dispatch,
});
const sealer = new SecretBox(new KeyRing([{ kid: 'bench', key: randomBytes(32) }]));
const outstanding = new Outstanding(OUTSTANDING);
const accounts = Array.from(
  { length: ACCOUNTS },
  (_, index) => String(FIRST_ACCOUNT + BigInt(index)) as AccountId,
);
let worker: Worker | undefined;
let perEvent = 0;
let turn = 0;

/** Registers one endpoint per port, for each account in turn, and starts the worker. */
async function start(ports: readonly number[]): Promise<void> {
  const egress = { allowedNetworks: ['127.0.0.0/8'], ports };
  const endpoints = new EndpointService({
    storage: postgres.storage,
    clock: systemClock,
    sealer,
    validateUrl: (url, environment) =>
      createUrlValidator({ environment, ...egress, ownHosts: [] })(url),
    createSecret: createSigningSecret,
    crashPoint: noCrashPoint,
  });
  perEvent = ports.length / ACCOUNTS;
  for (const [index, port] of ports.entries()) {
    const accountId = accounts[index % ACCOUNTS] as AccountId;
    await endpoints.create(
      {
        requestId: newId('req'),
        principal: { kind: 'host', accountId, environment: 'test', scopes: 'all' },
      },
      { url: `http://127.0.0.1:${port}/hooks`, enabled_events: ['*'] },
    );
  }
  worker = await startWorker({
    deliveries: reporting(postgres.deliveries),
    dispatch,
    sealer,
    client: createDeliveryClient({ nowMs: () => Date.now(), ...egress }),
    clock: systemClock,
    logger: silentLogger,
    telemetry: noTelemetry,
  });
}

/** The queue of deliveries, telling which events are delivered and logged. */
function reporting(deliveries: DeliveryQueue): DeliveryQueue {
  return {
    ...deliveries,
    async close(results, decide) {
      const closed = await deliveries.close(results, decide);
      for (const { record } of results) outstanding.end(record.eventId);
      return closed;
    },
  };
}

/** @returns the event, and when its transaction began, on the machine's monotonic clock */
async function commitEvent(): Promise<{ readonly id: string; readonly atMs: number }> {
  turn += 1;
  const atMs = Number(process.hrtime.bigint()) / 1e6;
  const event = sampleEvent(accounts[turn % ACCOUNTS] as AccountId);
  outstanding.begin(event.id, perEvent);
  const { accountId, environment, created: at } = event;
  await postgres.storage.changes.apply({ accountId, environment, at, writes: [], events: [event] });
  return { id: event.id, atMs };
}

/** As many as 512 outstanding allow. */
const run = (seconds: number) =>
  outstanding.run(seconds, HANDS, async () => {
    await commitEvent();
  });

/** At a steady rate. @returns when the transaction of each event began */
async function pace(options: { perSecond: number; seconds: number }) {
  const committed = new Map<string, number>();
  const commits: Promise<unknown>[] = [];
  const startedMs = performance.now();
  const count = Math.floor(options.perSecond * options.seconds);
  for (let index = 0; index < count; index += 1) {
    const dueMs = startedMs + (index * 1000) / options.perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    commits.push(commitEvent().then(({ id, atMs }) => committed.set(id, atMs)));
  }
  await Promise.all(commits);
  await worker?.drain();
  return committed;
}

answerCommands({ start, run, pace }, async () => {
  await worker?.close();
  await postgres.close();
});
