import type { WakeUp } from '@paymount/core/events';
import { type Logger, parseId, withTimeout } from '@paymount/core/kernel';
import type { Worker as BullWorker } from 'bullmq';
import { loadBullmq } from './load-bullmq.ts';
import { QUEUE_NAME, queuePrefix, type RedisClient } from './redis-client.ts';

const CONCURRENCY = 50;
// By default the second kill of a process fails its jobs, whatever `attempts` says.
const MAX_STALLED_COUNT = 100;
const CLOSE_LIMIT_MS = 2_000;

/** An attempt whose wait is over. */
type DueAttempt = Pick<WakeUp, 'id' | 'attempt'>;

export interface RetryListenerOptions {
  /** A separate client with `maxRetriesPerRequest: null` and no `commandTimeout`. */
  readonly client: RedisClient;
  readonly schema: string;
  readonly logger: Logger;
  /** Called with each attempt whose wait is over; the claim decides whether that is true. */
  readonly onDue: (due: DueAttempt) => void;
}

/** Receives the jobs of the retry queue that are due. */
export interface RetryListener {
  connected(): boolean;
  /** Replaces a hanging BullMQ worker. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to the retry queue. A job is done once its attempt is passed to the claimer, so no Redis
 * lock is held during an HTTP call.
 */
export async function startRetryListener(options: RetryListenerOptions): Promise<RetryListener> {
  const { Worker } = await loadBullmq();
  const start = (): BullWorker => {
    const { client, schema, logger, onDue } = options;
    const worker = new Worker(
      QUEUE_NAME,
      async (job) => {
        const due = readJob(job.data);
        if (due === undefined) logger.warn({ job: job.id ?? '' }, 'An unknown job was removed.');
        else onDue(due);
      },
      {
        connection: client,
        prefix: queuePrefix(schema),
        concurrency: CONCURRENCY,
        maxStalledCount: MAX_STALLED_COUNT,
      },
    );
    worker.on('error', (error) =>
      logger.debug({ err: error }, 'The retry listener reports an error.'),
    );
    return worker;
  };
  let worker = start();
  return {
    connected: () => options.client.status === 'ready',
    async restart() {
      const old = worker;
      worker = start();
      await ended(old);
    },
    close: () => ended(worker),
  };
}

/** When it closes, BullMQ waits for Redis, which may be unavailable. */
async function ended(worker: BullWorker): Promise<void> {
  await withTimeout(worker.close(), CLOSE_LIMIT_MS).catch(() => undefined);
}

function readJob(data: unknown): DueAttempt | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  if (!('id' in data && 'attempt' in data)) return undefined;
  const { attempt } = data;
  const id = typeof data.id === 'string' ? parseId('dlv', data.id) : undefined;
  if (id === undefined || typeof attempt !== 'number' || !Number.isInteger(attempt)) {
    return undefined;
  }
  return { id, attempt };
}
