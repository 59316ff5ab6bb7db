import type {
  DeliveryQueue,
  Dispatch,
  RetryQueue,
  WaitingAttempt,
  WakeUp,
} from '@paymount/core/events';
import { type CrashPoint, type Logger, parseId, toError } from '@paymount/core/kernel';
import type { Queue as BullQueue } from 'bullmq';
import { loadBullmq } from './load-bullmq.ts';
import { QUEUE_NAME, queuePrefix, type RedisClient } from './redis-client.ts';

const MAX_JOBS_AT_ONCE = 500;
const PROBE_EVERY_MS = 1_000;
/** Delayed jobs that one step of `prune` looks at. */
const PRUNE_PAGE = 500;

export interface RetryQueueOptions {
  /**
   * A client with `enableOfflineQueue: false`, `maxRetriesPerRequest: 0`, `commandTimeout: 500`: by
   * default an add waits forever for an unavailable Redis.
   */
  readonly client: RedisClient;
  /** PostgreSQL schema of the installation, so that two can share a Redis. */
  readonly schema: string;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/**
 * Wakes workers for retries, with BullMQ. A job contains only the name of one attempt: the
 * sweeper finds jobs that Redis loses when they are due.
 */
export function createRetryQueue(options: RetryQueueOptions): RetryQueue {
  return new BullmqRetryQueue(options);
}

/**
 * Checks at startup that BullMQ is installed.
 * @throws Error if it is not; the message says what to do
 */
export async function requireBullmq(): Promise<void> {
  await loadBullmq();
}

/** For a process without a worker: first attempts only wake the workers of other processes. */
export function announceThrough(announce: Dispatch['announce']): Dispatch {
  return {
    reserve: () => undefined,
    committed: () => undefined,
    released: () => undefined,
    announce,
  };
}

class BullmqRetryQueue implements RetryQueue {
  readonly #options: RetryQueueOptions;
  readonly #onReady: () => void;
  #queue: Promise<BullQueue> | undefined;
  #failing = false;
  #evicts = false;
  #probe: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RetryQueueOptions) {
    this.#options = options;
    this.#onReady = () => void this.#checkMemoryPolicy();
    options.client.on('ready', this.#onReady);
    if (options.client.status === 'ready') this.#onReady();
  }

  schedule(wakeUps: readonly WakeUp[]): void {
    if (!this.healthy()) return;
    for (let at = 0; at < wakeUps.length; at += MAX_JOBS_AT_ONCE) {
      void this.#add(wakeUps.slice(at, at + MAX_JOBS_AT_ONCE));
      this.#options.crashPoint('queue.mid_bulk');
    }
  }

  async prune(
    from: number,
    findWaiting: DeliveryQueue['findWaiting'],
  ): ReturnType<RetryQueue['prune']> {
    if (!this.healthy()) return { removed: 0 };
    let ids: readonly string[];
    try {
      const queue = await this.#opened();
      ids = await queue.getRanges(['delayed'], from, from + PRUNE_PAGE - 1, true);
    } catch (error) {
      this.#fail(toError(error));
      return { removed: 0 };
    }
    const named = ids.flatMap((id) => readJobId(id) ?? []);
    const waiting = new Set((await findWaiting(named)).map(toJobId));
    const stale = named.map(toJobId).filter((id) => !waiting.has(id));
    const removed = await this.#remove(stale);
    const next = from + ids.length - removed;
    return { removed, ...(ids.length === PRUNE_PAGE && { next }) };
  }

  healthy(): boolean {
    return !this.#closed && !this.#failing && this.#options.client.status === 'ready';
  }

  evicts(): boolean {
    return this.#evicts;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#probe);
    this.#options.client.off('ready', this.#onReady);
    const queue = await this.#queue?.catch(() => undefined);
    await queue?.close();
  }

  async #add(wakeUps: readonly WakeUp[]): Promise<void> {
    try {
      const queue = await this.#opened();
      await queue.addBulk(wakeUps.map(toJob));
    } catch (error) {
      this.#fail(toError(error));
    }
  }

  async #remove(ids: readonly string[]): Promise<number> {
    try {
      const queue = await this.#opened();
      const removed = await Promise.all(ids.map((id) => queue.remove(id)));
      return removed.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      this.#fail(toError(error));
      return 0;
    }
  }

  #opened(): Promise<BullQueue> {
    this.#queue ??= this.#open();
    return this.#queue;
  }

  /** Only on a ready client: BullMQ queries the version of Redis at its start, and never again. */
  async #open(): Promise<BullQueue> {
    const { client, schema, logger } = this.#options;
    const { Queue: BullQueueClass } = await loadBullmq();
    const queue = new BullQueueClass(QUEUE_NAME, {
      connection: client,
      prefix: queuePrefix(schema),
      skipMetasUpdate: true,
    });
    queue.on('error', (error) => logger.debug({ err: error }, 'The retry queue reports an error.'));
    return queue;
  }

  /** A client may look ready while Redis hangs, so stop adding until it responds. */
  #fail(error: Error): void {
    this.#queue = undefined;
    if (this.#failing || this.#closed) return;
    this.#failing = true;
    this.#options.logger.error({ err: error }, 'Redis is down; retries use only PostgreSQL.');
    this.#probeSoon();
  }

  #probeSoon(): void {
    this.#probe = setTimeout(() => {
      this.#options.client.ping().then(
        () => {
          this.#failing = false;
          this.#options.logger.info({}, 'Redis answers again.');
        },
        () => {
          if (!this.#closed) this.#probeSoon();
        },
      );
    }, PROBE_EVERY_MS);
  }

  async #checkMemoryPolicy(): Promise<void> {
    try {
      const info = await this.#options.client.info('memory');
      const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1];
      this.#evicts = policy !== undefined && policy !== 'noeviction';
      if (!this.#evicts) return;
      this.#options.logger.error(
        { maxmemory_policy: policy },
        'Redis may evict scheduled retries; set maxmemory-policy to noeviction.',
      );
    } catch (error) {
      this.#fail(toError(error));
    }
  }
}

function toJob({ id, attempt, delayMs }: WakeUp) {
  return {
    name: 'attempt',
    data: { id, attempt },
    // One job is one attempt; the next attempt is another job. Finished jobs are removed, because
    // BullMQ ignores an add with an existing id.
    opts: {
      jobId: toJobId({ id, attempt }),
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: true,
      delay: delayMs,
    },
  };
}

function toJobId({ id, attempt }: WaitingAttempt): string {
  return `${id}-${attempt}`;
}

/** @returns undefined for jobs that are not ours */
function readJobId(text: string): WaitingAttempt | undefined {
  const [, name = '', attempt] = /^(.+)-(\d)$/.exec(text) ?? [];
  const id = parseId('dlv', name);
  return id && { id, attempt: Number(attempt) };
}
