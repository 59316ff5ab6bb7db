import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createDeliveryClient,
  DELIVERY_DEADLINE_MS,
  type DeliveryClient,
  type SendResult,
} from '@paymount/webhooks';
import { childProgram } from '../support/child-program.ts';
import type { ReceiverKind } from './receivers-process.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';

const PROGRAM = new URL('receivers-process.ts', import.meta.url);
const NIGHTLY = 1_000;
/** In `npm test`, where 20 s would be long. */
const SMALL_DEADLINE_MS = 2_000;
const DEADLINE_TOLERANCE_MS = 200;
const STARTS_AT_ONCE = 50;
const BETWEEN_STARTS_MS = 100;
const MAX_GROWTH_BYTES = 100 * 1_048_576;
const BASELINE_SENDS = 1_000;
const BETWEEN_SENDS_MS = 1;

const UNANSWERING: readonly ReceiverKind[] = ['silent', 'no_tls', 'header_drip', 'announcing'];

/** How an attempt at each receiver that never ends must end. */
const ENDLESS: Readonly<Partial<Record<ReceiverKind, string>>> = {
  endless_body: '200 truncated',
  body_drip: '200 truncated',
  endless_extension: '200 truncated',
  endless_announcements: 'invalid_response',
  header_drip: 'timeout',
};

/** The one deadline of an attempt, in real time. */
export const deadlines: Scenario = {
  name: 'deadlines',
  law: 'An attempt without a response ends 20.0 s after its start, and no more than 0.2 s from it.',
  sizes: { small: 100, nightly: NIGHTLY, full: NIGHTLY },
  run: (size) =>
    withReceivers(UNANSWERING, size, async ({ client, urls, deadlineMs }) => {
      const tally = new Tally();
      const violations: string[] = [];
      const lag = monitorEventLoopDelay({ resolution: 10 });
      lag.enable();
      const one = async (url: string): Promise<void> => {
        const startedMs = performance.now();
        const outcome = toOutcome(await send(client, url));
        const offMs = Math.abs(performance.now() - startedMs - deadlineMs);
        // This process may stand still on a busy machine; that is not the deadline's doing.
        const inTime = offMs <= DEADLINE_TOLERANCE_MS + lag.max / 1e6;
        tally.add(inTime ? 'in time' : 'late or early');
        if (!inTime) violations.push(`One ended ${Math.round(offMs)} ms off its deadline.`);
        if (outcome !== 'timeout') violations.push(`One ended as ${outcome}.`);
      };
      const running: Promise<void>[] = [];
      for (let started = 0; started < size; started += STARTS_AT_ONCE) {
        for (let next = started; next < Math.min(size, started + STARTS_AT_ONCE); next += 1) {
          running.push(one(urls[next % urls.length] ?? ''));
        }
        await delay(BETWEEN_STARTS_MS);
      }
      await Promise.all(running);
      tally.add('longest standstill, ms', Math.round(lag.max / 1e6));
      return { violations, counts: tally.toCounts() };
    }),
};

/** Receivers that never end their response. */
export const endless: Scenario = {
  name: 'endless-receivers',
  law: 'Endless bodies and drips of many receivers neither stop others nor fill the memory.',
  sizes: { small: 50, nightly: NIGHTLY, full: NIGHTLY },
  run: (size) => {
    const kinds = Object.keys(ENDLESS) as ReceiverKind[];
    const all = Array.from({ length: size }, (_, at) => kinds[at % kinds.length] ?? 'silent');
    return withReceivers(['healthy', ...all], size, async ({ client, urls }) => {
      const [healthy = '', ...others] = urls;
      const tally = new Tally();
      const violations: string[] = [];
      const before = await measureHealthy(client, healthy, (sent) => sent >= BASELINE_SENDS);
      const startBytes = process.memoryUsage.rss();
      let running = others.length;
      const ends = others.map(async (url, at) => {
        const outcome = toOutcome(await send(client, url));
        running -= 1;
        const kind = all[at] ?? 'silent';
        if (outcome !== ENDLESS[kind]) violations.push(`${kind} ended as ${outcome}.`);
      });
      const during = await measureHealthy(client, healthy, () => running === 0);
      await Promise.all(ends);
      const growth = during.peakBytes - startBytes;
      if (growth > MAX_GROWTH_BYTES) violations.push(`The memory grew by ${growth} bytes.`);
      if (before.failed + during.failed > 0) violations.push('A healthy receiver was failed.');
      // On a machine that runs other tests, times say nothing.
      if (size >= NIGHTLY && during.p99Ms > 3 * before.p99Ms + 50) {
        violations.push(`p99 rose from ${before.p99Ms} to ${during.p99Ms} ms.`);
      }
      tally.add('p99 of a healthy receiver before, us', Math.round(before.p99Ms * 1_000));
      tally.add('p99 of a healthy receiver meanwhile, us', Math.round(during.p99Ms * 1_000));
      tally.add('sent to a healthy receiver meanwhile', during.sent);
      tally.add('growth of the memory, KiB', Math.round(growth / 1_024));
      return { violations, counts: tally.toCounts() };
    });
  },
};

interface Setup {
  readonly client: DeliveryClient;
  readonly urls: readonly string[];
  readonly deadlineMs: number;
}

async function withReceivers(
  kinds: readonly ReceiverKind[],
  size: number,
  run: (setup: Setup) => Promise<Findings>,
): Promise<Findings> {
  const child = fork(await childProgram(PROGRAM), [...kinds], { execArgv: [] });
  const deadlineMs = size < NIGHTLY ? SMALL_DEADLINE_MS : DELIVERY_DEADLINE_MS;
  const client = createDeliveryClient({
    nowMs: Date.now,
    allowedNetworks: ['127.0.0.0/8'],
    ports: 'any',
    deadlineMs,
  });
  const socketsBefore = countSockets();
  try {
    const [ports] = (await once(child, 'message')) as [number[]];
    const urls = ports.map((port, at) =>
      kinds[at] === 'no_tls' ? `https://localhost:${port}/` : `http://127.0.0.1:${port}/`,
    );
    const { violations, counts } = await run({ client, urls, deadlineMs });
    await client.close();
    await delay(BETWEEN_STARTS_MS);
    const left = countSockets() - socketsBefore;
    const leaks = left > 0 ? [`${left} sockets are open after all attempts.`] : [];
    return { violations: [...violations, ...leaks], counts };
  } finally {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
}

/** Sends to one receiver, again and again, with a pause between. */
async function measureHealthy(
  client: DeliveryClient,
  url: string,
  isDone: (sent: number) => boolean,
) {
  const times: number[] = [];
  let failed = 0;
  let peakBytes = 0;
  while (!isDone(times.length)) {
    const startedMs = performance.now();
    if (toOutcome(await send(client, url)) !== '200') failed += 1;
    times.push(performance.now() - startedMs);
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    await delay(BETWEEN_SENDS_MS);
  }
  times.sort((a, b) => a - b);
  const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  return { sent: times.length, failed, p99Ms, peakBytes };
}

function send(client: DeliveryClient, url: string): Promise<SendResult> {
  return client.send({ url, headers: {}, body: Buffer.alloc(600, 'x'), environment: 'test' });
}

function toOutcome(result: SendResult): string {
  if (!('response' in result)) return result.errorCode;
  return `${result.response.status}${result.response.truncated ? ' truncated' : ''}`;
}

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocket|TLS|TCPConnect/.test(kind))
    .length;
}
