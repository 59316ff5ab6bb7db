import type {
  DeliveryNotifier,
  DeliveryQueue,
  DispatchHub,
  EndpointLane,
  RetryQueue,
} from '@paymount/core/events';
import type { Clock, CrashPoint, Logger, Sealer, Telemetry } from '@paymount/core/kernel';
import { noCrashPoint, withTimeout } from '@paymount/core/kernel';
import { CloseBatch } from './attempts/close-batch.ts';
import { DatabaseClock } from './attempts/database-clock.ts';
import type { DisablingRules } from './attempts/failing-decisions.ts';
import type { LockedEndpoint } from './attempts/held-results.ts';
import { SecretCache } from './attempts/secret-cache.ts';
import { Dispatcher } from './claims/dispatcher.ts';
import { Sender } from './claims/sender.ts';
import { Sweeper } from './claims/sweeper.ts';
import type { DeliveryClient } from './egress/delivery-client.ts';
import { LANES, type LaneLimits } from './lanes/lane.ts';
import { Lanes } from './lanes/lanes.ts';
import type { RedisClient } from './retries/redis-client.ts';
import { type RetryListener, startRetryListener } from './retries/retry-listener.ts';
import { RetryListenerWatch } from './retries/retry-listener-watch.ts';
import { createRetryQueue } from './retries/retry-queue.ts';

const CLOSE_LIMIT_MS = 24_000;

export interface WorkerOptions {
  readonly deliveries: DeliveryQueue;
  /**
   * The storage notifies the worker of committed deliveries through it; the worker attaches itself.
   */
  readonly dispatch: DispatchHub;
  /** Tells of first attempts that other processes committed. */
  readonly notifier?: DeliveryNotifier;
  readonly sealer: Sealer;
  /** Closed with the worker. */
  readonly client: DeliveryClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Two clients, as BullMQ needs them (`RetryQueueOptions`, `RetryListenerOptions`); ended by the caller. */
  readonly redis?: {
    readonly queue: RedisClient;
    readonly retryListener: RedisClient;
    readonly schema: string;
  };
  /** @defaultValue 410 is a failure as any other, and nobody gets mails to accounts without address */
  readonly disabling?: DisablingRules;
  /** False turns off the sweeper's claims, which loses events; only for tests. */
  readonly reconcile?: boolean;
  /** @defaultValue `LANES`; fewer slots are for tests of the order */
  readonly limits?: Readonly<Partial<Record<EndpointLane, LaneLimits>>>;
  readonly crashPoint?: CrashPoint;
}

/** What a running delivery engine does now. */
export interface WorkerStatus {
  /** How long ago it last looked for due deliveries; it does so every second. */
  readonly pollAgeMs: number;
  /** How far the database's clock is ahead of this machine's. */
  readonly clockOffsetMs: number;
  /** Nothing is sent, because results of attempts cannot be recorded. */
  readonly sendingHeld: boolean;
  /** Endpoints whose results have waited for over a second for a lock of another session. */
  readonly lockedEndpoints: readonly LockedEndpoint[];
  /** Attempts that run, by lane. */
  readonly inFlight: Readonly<Record<string, number>>;
}

/** A running delivery engine. */
export interface Worker {
  status(): WorkerStatus;
  /**
   * Makes attempts until nothing is due and nothing runs; for tests that advance the clock.
   * @throws when the database cannot be reached
   */
  drain(): Promise<void>;
  /**
   * Stops within 25 s: starts nothing more, releases claimed rows that were not sent, lets running
   * attempts end, and records them. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * Starts the delivery engine of this process. Several may run, in any number of processes: claims
 * decide which one sends a delivery.
 * @throws if the database cannot be reached: errors appear at startup
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { deliveries, client, clock, logger, telemetry, redis } = options;
  const { crashPoint = noCrashPoint } = options;
  const queue =
    redis && createRetryQueue({ client: redis.queue, schema: redis.schema, logger, crashPoint });
  const databaseClock = new DatabaseClock({ deliveries, clock, logger });
  const batch = new CloseBatch({
    deliveries,
    queue,
    clock,
    logger,
    telemetry,
    crashPoint,
    disabling: options.disabling ?? { onGone: false },
  });
  const sender = new Sender({
    deliveries,
    client,
    clock,
    logger,
    telemetry,
    crashPoint,
    databaseClock,
    secrets: new SecretCache({ sealer: options.sealer, clock }),
    lanes: new Lanes({ ...LANES, ...options.limits }),
    batch,
  });
  const dispatcher = new Dispatcher({ deliveries, sender, clock, logger });
  const retryListener = redis && (await listenForRetries(redis, dispatcher, logger));
  const claims = options.reconcile ?? true;
  const sweeper = new Sweeper({
    deliveries,
    sender,
    queue,
    databaseClock,
    clock,
    logger,
    telemetry,
    claims,
  });
  const parts = {
    sender,
    batch,
    dispatcher,
    sweeper,
    databaseClock,
    retryListener,
    listenerWatch:
      retryListener && new RetryListenerWatch({ deliveries, retryListener, clock, logger }),
    queue,
  };
  try {
    await databaseClock.measure();
  } catch (error) {
    await parts.listenerWatch?.close();
    await Promise.all([retryListener?.close(), queue?.close(), client.close()]);
    throw error;
  }
  dispatcher.whenLeft((origins) => sweeper.left(origins));
  sweeper.start();
  options.dispatch.attach(dispatcher);
  const stopListening = options.notifier?.listen((ids) => dispatcher.announce(ids));
  return new RunningWorker(options, { ...parts, stopListening });
}

function listenForRetries(
  { retryListener: client, schema }: NonNullable<WorkerOptions['redis']>,
  dispatcher: Dispatcher,
  logger: Logger,
): Promise<RetryListener> {
  return startRetryListener({
    client,
    schema,
    logger,
    onDue: (wanted) => dispatcher.wake([wanted]),
  });
}

interface Parts {
  readonly sender: Sender;
  readonly batch: CloseBatch;
  readonly dispatcher: Dispatcher;
  readonly sweeper: Sweeper;
  readonly databaseClock: DatabaseClock;
  readonly retryListener: RetryListener | undefined;
  readonly listenerWatch: RetryListenerWatch | undefined;
  readonly queue: RetryQueue | undefined;
  readonly stopListening: (() => Promise<void>) | undefined;
}

class RunningWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;

  constructor(options: WorkerOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  status(): WorkerStatus {
    const { sender, batch, sweeper, databaseClock } = this.#parts;
    return {
      pollAgeMs: sweeper.pollAgeMs,
      clockOffsetMs: databaseClock.offsetMs,
      sendingHeld: !batch.keepsUp,
      lockedEndpoints: batch.locked,
      inFlight: sender.inFlight,
    };
  }

  async drain(): Promise<void> {
    const { sender, dispatcher, sweeper, databaseClock } = this.#parts;
    for (;;) {
      await dispatcher.claimed();
      await sender.idle();
      await databaseClock.measure();
      const claimed = await sweeper.claim(0);
      if (claimed === 0 && sender.isIdle) return;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { queue, batch } = this.#parts;
    const { client, logger } = this.#options;
    const ended = await withTimeout(
      this.#stopSending().then(() => true),
      CLOSE_LIMIT_MS,
      () => false,
    );
    if (!ended) {
      batch.abandon();
      logger.warn({}, 'Closing took too long; what still runs is sent again elsewhere.');
    }
    await Promise.all([queue?.close(), ended ? client.close() : undefined]);
  }

  async #stopSending(): Promise<void> {
    const { sender, dispatcher, sweeper, retryListener, listenerWatch } = this.#parts;
    sender.stop();
    // A restart would open the listener again.
    await Promise.all([listenerWatch?.close(), this.#parts.stopListening?.()]);
    await Promise.all([sweeper.stop(), retryListener?.close(), dispatcher.claimed()]);
    // Transactions that hold a slot release their rows when they commit.
    await dispatcher.unreserved();
    this.#options.dispatch.detach(dispatcher);
    await sender.idle();
  }
}
