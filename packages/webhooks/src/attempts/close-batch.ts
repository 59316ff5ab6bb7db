import { setTimeout as wait } from 'node:timers/promises';
import type {
  CloseAttempt,
  ClosedAttempt,
  DeliveryQueue,
  RetryQueue,
  WakeUp,
} from '@paymount/core/events';
import {
  type Clock,
  type EndpointId,
  PaymountError,
  type Telemetry,
  toError,
} from '@paymount/core/kernel';
import type { EndedAttempt } from './attempt.ts';
import { FailingDecisions, type FailingDecisionsPorts } from './failing-decisions.ts';
import { HeldResults, type LockedEndpoint } from './held-results.ts';

const GONE = 410;
const MAX_RESULTS = 500;
const MAX_WAIT_MS = 3;
const RETRY_WAITS_MS = [50, 200, 800] as const;
/** The wait before every later try. */
const MAX_RETRY_WAIT_MS = 1_000;
/** After this many tries, an error that is not the database's is looked for in single results. */
const MAX_TRIES_TOGETHER = 4;
/** Nothing more is sent while a result has waited longer than this to be recorded. */
const MAX_UNRECORDED_MS = 2_000;
/** Nothing more is sent while more results than this wait to be recorded. */
const MAX_UNRECORDED = 2_000;

export interface CloseBatchPorts extends FailingDecisionsPorts {
  readonly deliveries: Pick<
    DeliveryQueue,
    'close' | 'whyNever' | 'renewLeases' | 'findLockHolders'
  >;
  readonly queue: RetryQueue | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** How a batch is recorded; see `DeliveryQueue.close`. */
interface CloseManner {
  readonly skipsLocked: boolean;
}

/** The outcome of a batch; results that are in neither wait for a lock. */
interface Recorded {
  readonly closed: readonly ClosedAttempt[];
  readonly givenUp: ReadonlySet<EndedAttempt>;
}

const NONE: ReadonlySet<EndedAttempt> = new Set();

/**
 * Group commit of results: one statement for up to 500 attempts or 3 ms, or immediately if no other
 * attempt is running, because an INSERT for each would cost PostgreSQL ten times the work. One
 * statement runs at a time; results that arrive meanwhile go into the next.
 *
 * A failed statement is repeated until it succeeds, also after the leases of its results have ended:
 * a result counts if nobody else has recorded one of the same attempt. Meanwhile this process must
 * send nothing more (`keepsUp`), because what it cannot record is sent again. Results that wait for a lock
 * of another session are put apart (`HeldResults`), and only their endpoints wait.
 */
export class CloseBatch {
  readonly #ports: CloseBatchPorts;
  readonly #held: HeldResults;
  #waiting: EndedAttempt[] = [];
  /** The results of the running statement. */
  #closing: readonly EndedAttempt[] = [];
  #hasFailed = false;
  #isAbandoned = false;
  #timer: NodeJS.Timeout | undefined;
  #heldTimer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #onCaughtUp: () => void = () => undefined;

  constructor(ports: CloseBatchPorts) {
    this.#ports = ports;
    this.#held = new HeldResults(ports);
  }

  /** Endpoints to which nothing may be sent, because results of them wait for a lock. */
  get heldEndpoints(): readonly EndpointId[] {
    return this.#held.endpoints;
  }

  /** Whether results of an endpoint wait for a lock. */
  isHeld(endpoint: EndpointId): boolean {
    return this.#held.has(endpoint);
  }

  /** The endpoints that have waited for a lock for over a second. */
  get locked(): readonly LockedEndpoint[] {
    return this.#held.locked;
  }

  /** False while results cannot be recorded, or wait too long for it. */
  get keepsUp(): boolean {
    if (this.#hasFailed || this.#waiting.length > MAX_UNRECORDED) return false;
    const oldest = this.#closing[0] ?? this.#waiting[0];
    if (oldest === undefined) return true;
    return this.#ports.clock.monotonicMs() - oldest.endedAtMs <= MAX_UNRECORDED_MS;
  }

  /** Called each time `keepsUp` becomes true again, or an endpoint waits for no lock any more. */
  whenCaughtUp(listener: () => void): void {
    this.#onCaughtUp = listener;
  }

  /** @param alone no other attempt is running, so there is nothing to wait for */
  add(ended: EndedAttempt, alone: boolean): void {
    if (this.#held.has(ended.delivery.endpointId)) {
      this.#held.add(ended);
      return;
    }
    this.#waiting.push(ended);
    if (this.#flushing !== undefined) return;
    if (alone || this.#waiting.length >= MAX_RESULTS) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), MAX_WAIT_MS);
  }

  /** Waits until every result so far is recorded, or `abandon` was called. */
  async flush(): Promise<void> {
    while (!this.#isAbandoned) {
      this.#start();
      if (this.#flushing !== undefined) await this.#flushing;
      else if (this.#held.isEmpty) return;
      else await wait(Math.max(1, this.#untilNextTryMs));
    }
  }

  /** Gives up what the running try does not record: those leases expire, elsewhere it is sent again. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#flushing !== undefined || this.#isDone) return;
    this.#flushing = this.#flushAll();
  }

  /** Nothing waits that can be tried now. */
  get #isDone(): boolean {
    return this.#waiting.length === 0 && this.#untilNextTryMs > 0;
  }

  get #untilNextTryMs(): number {
    return this.#held.nextTryMs - this.#ports.clock.monotonicMs();
  }

  async #flushAll(): Promise<void> {
    let wasBehind = false;
    try {
      while (!this.#isDone) {
        wasBehind ||= !this.keepsUp;
        if (this.#untilNextTryMs <= 0) await this.#closeHeld();
        this.#closing = this.#waiting.splice(0, MAX_RESULTS);
        if (this.#closing.length > 0) await this.#close(this.#closing);
        wasBehind ||= !this.keepsUp;
        this.#closing = [];
        this.#hasFailed = false;
        if (!wasBehind || !this.keepsUp) continue;
        wasBehind = false;
        this.#onCaughtUp();
      }
    } finally {
      // In the turn that saw nothing waiting, so that no result can slip in between.
      this.#flushing = undefined;
      this.#armHeld();
    }
  }

  #armHeld(): void {
    clearTimeout(this.#heldTimer);
    if (this.#held.isEmpty || this.#isAbandoned) return;
    const delayMs = Math.max(1, Math.ceil(this.#untilNextTryMs));
    this.#heldTimer = setTimeout(() => {
      this.#start();
      // A timer may fire a moment too early.
      if (this.#flushing === undefined) this.#armHeld();
    }, delayMs);
  }

  /** Tries the results that wait for a lock, without waiting for it. */
  async #closeHeld(): Promise<void> {
    const before = this.#held.endpoints.length;
    const batch = this.#held.next(MAX_RESULTS);
    const { left, givenUp } = await this.#closeSome(batch, { skipsLocked: true });
    this.#held.tried(new Set(batch.filter((ended) => !left.includes(ended))), givenUp);
    if (this.#held.endpoints.length < before) this.#onCaughtUp();
  }

  async #close(batch: readonly EndedAttempt[]): Promise<void> {
    const isHeld = (ended: EndedAttempt): boolean => this.#held.has(ended.delivery.endpointId);
    // In the order of their ends, so behind those that wait already.
    const free = batch.filter((ended) => !isHeld(ended));
    const { left } = await this.#closeSome(free, { skipsLocked: false });
    for (const ended of batch) if (isHeld(ended) || left.includes(ended)) this.#held.add(ended);
  }

  /** @returns those that wait for a lock, and those that were given up */
  async #closeSome(
    batch: readonly EndedAttempt[],
    how: CloseManner,
  ): Promise<{ readonly left: readonly EndedAttempt[] } & Pick<Recorded, 'givenUp'>> {
    const { crashPoint, logger } = this.#ports;
    if (batch.length === 0) return { left: [], givenUp: NONE };
    crashPoint('close.before_commit');
    const { closed, givenUp } = await this.#record(batch, how);
    crashPoint('close.after_commit');
    if (this.#hasFailed && closed.length > 0) {
      logger.info({ results: closed.length }, 'Delivery results are recorded again.');
    }
    const known = new Set(closed.map(attemptKey));
    const open = new Set(closed.filter((row) => row.closed).map(attemptKey));
    this.#warnSuperseded(closed);
    this.#schedule(batch.filter((ended) => open.has(attemptKey(ended.delivery))));
    const left = batch.filter(
      (ended) => !givenUp.has(ended) && !known.has(attemptKey(ended.delivery)),
    );
    return { left, givenUp };
  }

  /** Tries until the results are recorded, or wait for a lock. */
  async #record(batch: readonly EndedAttempt[], how: CloseManner): Promise<Recorded> {
    for (let tries = 1; ; tries += 1) {
      try {
        return { closed: await this.#try(batch, how), givenUp: NONE };
      } catch (error) {
        this.#logFailure(batch.length, error);
        if (this.#isAbandoned) return { closed: [], givenUp: new Set(batch) };
        if (tries >= MAX_TRIES_TOGETHER && !PaymountError.is(error)) {
          const recorded = await this.#recordSingly(batch);
          if (recorded !== undefined) return recorded;
        }
        await wait(RETRY_WAITS_MS[tries - 1] ?? MAX_RETRY_WAIT_MS);
      }
    }
  }

  /**
   * One result that the database refuses must not hold back the others: it alone is given up. Some of the
   * others may wait for a lock.
   * @returns undefined if each of several results fails, and not because of its own values, so that none is
   *   the reason; or if the database cannot be reached any more
   */
  async #recordSingly(batch: readonly EndedAttempt[]): Promise<Recorded | undefined> {
    const closed: ClosedAttempt[] = [];
    const refused = new Map<EndedAttempt, unknown>();
    for (const ended of batch) {
      try {
        closed.push(...(await this.#try([ended], { skipsLocked: true })));
      } catch (error) {
        if (PaymountError.is(error)) return undefined;
        refused.set(ended, error);
      }
    }
    const { whyNever } = this.#ports.deliveries;
    const isOwn = [...refused.values()].every((error) => whyNever(error) !== undefined);
    if (refused.size > 1 && refused.size === batch.length && !isOwn) return undefined;
    for (const [ended, error] of refused) {
      const { id: delivery, attempt } = ended.delivery;
      const facts = { delivery, attempt, err: toError(error) };
      this.#ports.logger.error(facts, 'A delivery result was not recorded; it is sent again.');
    }
    return { closed, givenUp: new Set(refused.keys()) };
  }

  async #try(batch: readonly EndedAttempt[], how: CloseManner): Promise<readonly ClosedAttempt[]> {
    const { deliveries, clock, disabling } = this.#ports;
    const nowMs = clock.monotonicMs();
    const decisions = new FailingDecisions(this.#ports);
    const closed = await deliveries.close(
      batch.map((ended) => ({
        ...toClose(ended, nowMs - ended.endedAtMs),
        ...(disabling.onGone && ended.record.responseStatus === GONE && { isGone: true }),
      })),
      (failing) => decisions.decide(failing),
      how,
    );
    const known = new Set(closed.map(attemptKey));
    const failed = batch.filter(
      ({ record, delivery }) => record.outcome !== 'succeeded' && known.has(attemptKey(delivery)),
    );
    // A decision is committed with the failures that led to it, and they may wait for a lock.
    decisions.log(new Set(failed.map(({ delivery }) => delivery.endpointId)));
    return closed;
  }

  #logFailure(results: number, error: unknown): void {
    const { logger } = this.#ports;
    const facts = { results, err: toError(error) };
    if (this.#isAbandoned) logger.error(facts, 'Delivery results were not recorded.');
    else if (this.#hasFailed) logger.warn(facts, 'Delivery results still cannot be recorded.');
    else
      logger.error(facts, 'Delivery results cannot be recorded; nothing more is sent meanwhile.');
    this.#hasFailed = true;
  }

  #warnSuperseded(closed: readonly ClosedAttempt[]): void {
    for (const row of closed) {
      if (row.closed) continue;
      this.#ports.telemetry.count('paymount_deliveries_superseded_total', {});
      const facts = { delivery: row.id, attempt: row.attempt };
      this.#ports.logger.warn(facts, 'Another result of this attempt was first.');
    }
  }

  #schedule(ended: readonly EndedAttempt[]): void {
    const { queue, clock, crashPoint } = this.#ports;
    const nowMs = clock.monotonicMs();
    const wakeUps: WakeUp[] = [];
    for (const { delivery, verdict, endedAtMs } of ended) {
      if (verdict.next !== 'retry') continue;
      const delayMs = Math.max(0, Math.round(verdict.waitMs - (nowMs - endedAtMs)));
      wakeUps.push({ id: delivery.id, attempt: verdict.attempt, delayMs });
    }
    if (queue === undefined || wakeUps.length === 0) return;
    crashPoint('retry.before_queue');
    queue.schedule(wakeUps);
  }
}

function toClose(ended: EndedAttempt, endedAgoMs: number): CloseAttempt {
  const { delivery, verdict, record, endedAt } = ended;
  return { id: delivery.id, attempt: delivery.attempt, verdict, record, endedAt, endedAgoMs };
}

function attemptKey({ id, attempt }: { readonly id: string; readonly attempt: number }): string {
  return `${id}-${attempt}`;
}
