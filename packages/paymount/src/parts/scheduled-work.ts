import { isError, type Logger, type Telemetry, withTimeout } from '@paymount/core/kernel';
import type { Parts } from './parts.ts';
import { buildStages, type ScheduledParts } from './scheduled-tasks.ts';
import type { More, Task } from './task.ts';

/** A processor call may take longer than a shutdown should. */
const CLOSE_LIMIT_MS = 20_000;
/** A worker starts without what takes longer, such as a lock that somebody holds. */
const PREPARE_LIMIT_MS = 5_000;
/** When a task that failed runs again, unless it is due earlier. */
const RETRY_MS = 60_000;
/**
 * The maximum number of consecutive batches of one task, so that a backlog does not starve the
 * others.
 */
const MAX_BATCHES = 100;

/**
 * The scheduled work: unresolved processor calls, funds that become available, balances that are
 * folded, authorizations that expire, e-mails, and old rows to delete.
 */
export class ScheduledWork {
  readonly #stages: readonly (readonly Task[])[];
  readonly #logger: Logger;
  readonly #telemetry: Telemetry;
  readonly #timers = new Map<Task, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #failing = new Set<string>();
  #closed = false;

  constructor(parts: Pick<Parts, ScheduledParts>) {
    this.#stages = buildStages(parts);
    this.#logger = parts.logger;
    this.#telemetry = parts.telemetry;
  }

  /**
   * Runs the tasks that prepare the worker once, and waits for them for at most 5 s. Then runs every
   * task, and each again at its interval. Never rejects.
   */
  async start(): Promise<void> {
    const tasks = this.#stages.flat();
    const first = tasks.filter(({ preparesWorker }) => preparesWorker === true);
    const running = first.map(async (task) => [task, await this.#guarded(task)] as const);
    const ended = await withTimeout(Promise.all(running), PREPARE_LIMIT_MS, () => []);
    const nextMs = new Map(ended);
    for (const task of tasks) this.#plan(task, nextMs.get(task) ?? 0);
  }

  /** Runs every task until nothing is left; for tests, whose clock does not advance. */
  async drain(): Promise<void> {
    for (const tasks of this.#stages) {
      await Promise.all(tasks.map((task) => this.#drain(task)));
    }
    // Work that a concurrent periodic run has taken may not be done yet.
    await Promise.all(this.#running);
  }

  /**
   * Starts nothing more and waits at most 20 s for running tasks; other processes continue the
   * rest.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await withTimeout(Promise.all(this.#running), CLOSE_LIMIT_MS).catch(() => undefined);
  }

  async #drain(task: Task): Promise<void> {
    while (typeof (await this.#batches(task)) === 'object');
    this.#onSuccess(task);
  }

  #plan(task: Task, delayMs: number): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      const run = this.#guarded(task).then((nextMs) => {
        this.#running.delete(run);
        this.#plan(task, nextMs);
      });
      this.#running.add(run);
    }, delayMs);
    this.#timers.set(task, timer);
  }

  /** Names of the tasks whose last run failed. */
  get failing(): readonly string[] {
    return [...this.#failing];
  }

  /** @returns the time until it runs again, in milliseconds */
  async #guarded(task: Task): Promise<number> {
    try {
      const more = await this.#batches(task);
      this.#onSuccess(task);
      if (typeof more === 'object') return more.pauseMs;
      return typeof more === 'number' ? more : task.everyMs;
    } catch (error) {
      this.#onFailure(task, error);
      return Math.min(task.everyMs, RETRY_MS);
    }
  }

  /** Only the first failure in a row is a line at `warn`. */
  #onFailure({ name }: Task, error: unknown): void {
    const facts = { task: name, err: isError(error) ? error : undefined };
    const message = 'Scheduled work failed; Paymount tries it again within a minute.';
    this.#telemetry.count('paymount_scheduled_work_failures_total', { task: name });
    if (this.#failing.has(name)) this.#logger.debug(facts, message);
    else this.#logger.warn(facts, message);
    this.#failing.add(name);
  }

  #onSuccess({ name }: Task): void {
    if (!this.#failing.delete(name)) return;
    this.#logger.info({ task: name }, 'Scheduled work succeeds again.');
  }

  async #batches(task: Task): Promise<More> {
    for (let batch = 0; batch < MAX_BATCHES && !this.#closed; batch += 1) {
      const more = await task.run(() => this.#closed);
      if (more !== true) return more;
    }
    return false;
  }
}
