import { HookLog, sendMails } from '@paymount/core/changes';
import { advanceReplays, STEP_MS } from '@paymount/core/events';
import { isError, type Logger, withTimeout } from '@paymount/core/kernel';
import { foldBalances, releaseFunds } from '@paymount/core/ledger';
import { expireAuthorizations, HookWaits } from '@paymount/core/payments';
import type { Parts } from './parts.ts';

/** A periodic task, which any process with a worker may run. */
interface Task {
  readonly name: string;
  readonly everyMs: number;
  /** Does one bounded batch, shorter when `isClosing`. */
  run(isClosing: () => boolean): Promise<More>;
}

/** Whether more work is waiting; a number: milliseconds until the next batch is due. */
type More = boolean | number;

type ScheduledParts =
  | 'options'
  | 'stores'
  | 'resolver'
  | 'mailer'
  | 'dispatch'
  | 'crashPoint'
  | 'clock'
  | 'logger';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Responses are replayed for at least this time. */
const ANSWERS_KEPT_MS = DAY + HOUR;
/** Sent e-mails are kept this long; unsent ones are dropped much earlier. */
const MAILS_KEPT_MS = 90 * DAY;
const PURGE_BATCH = 5000;
/** Deliveries of one endpoint in one short transaction, during which the endpoint is locked. */
const STATUS_STEP = 2000;
/** A processor call may take longer than a shutdown should. */
const CLOSE_LIMIT_MS = 20 * SECOND;
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
  readonly #timers = new Map<Task, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: Pick<Parts, ScheduledParts>) {
    this.#stages = buildStages(parts);
    this.#logger = parts.logger;
  }

  /** Runs every task at once, then each at its interval. */
  start(): void {
    for (const task of this.#stages.flat()) this.#plan(task, 0);
  }

  /** Runs every task until nothing is left; for tests, whose clock does not advance. */
  async drain(): Promise<void> {
    for (const tasks of this.#stages) {
      await Promise.all(tasks.map((task) => this.#batches(task)));
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

  /** @returns the time until it runs again, in milliseconds */
  async #guarded(task: Task): Promise<number> {
    try {
      const more = await this.#batches(task);
      return typeof more === 'number' ? more : task.everyMs;
    } catch (error) {
      this.#logger.warn(
        { task: task.name, err: isError(error) ? error : undefined },
        'Scheduled work failed; Paymount tries again at the next interval.',
      );
      return task.everyMs;
    }
  }

  async #batches(task: Task): Promise<More> {
    for (let batch = 0; batch < MAX_BATCHES && !this.#closed; batch += 1) {
      const more = await task.run(() => this.#closed);
      if (more !== true) return more;
    }
    return false;
  }
}

/**
 * Tasks of one stage run in parallel; when everything is drained, the stages run one after the
 * other.
 */
function buildStages(parts: Pick<Parts, ScheduledParts>): readonly (readonly Task[])[] {
  return [operationTasks(parts), ...otherTasks(parts).map((task) => [task])];
}

/** One for each processor, so that a slow one does not delay the other. */
function operationTasks({ resolver }: Pick<Parts, ScheduledParts>): readonly Task[] {
  return (['live', 'test'] as const).map((environment) => ({
    name: `unresolved_operations_${environment}`,
    everyMs: SECOND,
    run: async () => (await resolver.sweep(environment)) > 0,
  }));
}

function otherTasks(parts: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { stores, clock, logger } = parts;
  const ports = { storage: stores.storage, clock, logger };
  const hookLog = new HookLog(logger);
  const { hook, mail } = parts.options;
  const hookWaits = new HookWaits({
    ...{ mails: stores.mails, clock, logger },
    operations: stores.directory.operations,
    hasHook: hook !== undefined,
    operator: mail?.operator,
  });
  return [
    {
      name: 'available_funds',
      everyMs: 10 * SECOND,
      run: () => releaseFunds(ports),
    },
    {
      name: 'folded_balances',
      everyMs: 10 * SECOND,
      run: async (isClosing) => {
        await foldBalances(stores.storage, isClosing);
        return false;
      },
    },
    {
      name: 'expired_authorizations',
      everyMs: MINUTE,
      run: async (isClosing) => {
        await expireAuthorizations({ ...ports, hookLog, isClosing });
        return false;
      },
    },
    {
      name: 'results_waiting_for_the_hook',
      everyMs: MINUTE,
      run: async () => {
        await hookWaits.check();
        return false;
      },
    },
    {
      name: 'old_answers',
      everyMs: HOUR,
      run: async () => {
        const before = new Date(clock.now().getTime() - ANSWERS_KEPT_MS);
        return (await stores.storage.idempotency.purge(before, PURGE_BATCH)) === PURGE_BATCH;
      },
    },
    {
      name: 'old_key_usage',
      everyMs: HOUR,
      run: async () => (await stores.usage.purge(clock.now(), PURGE_BATCH)) >= PURGE_BATCH,
    },
    {
      name: 'replays',
      everyMs: SECOND,
      run: async (isClosing) =>
        (await advanceReplays({ ...parts, replays: stores.replays, isClosing })) && STEP_MS,
    },
    ...endpointTasks(parts),
    ...mailTasks(parts),
  ];
}

function endpointTasks({ stores: { deliveries } }: Pick<Parts, ScheduledParts>): readonly Task[] {
  return [
    {
      name: 'rechecked_endpoints',
      everyMs: MINUTE,
      run: async () => {
        await deliveries.recheckStatuses();
        return false;
      },
    },
    {
      name: 'changed_endpoints',
      everyMs: SECOND,
      run: () => deliveries.applyStatuses(STATUS_STEP),
    },
  ];
}

function mailTasks({
  stores,
  mailer,
  clock,
  logger,
}: Pick<Parts, ScheduledParts>): readonly Task[] {
  const { mails } = stores;
  const purge: Task = {
    name: 'old_mails',
    everyMs: HOUR,
    run: async () => {
      const before = new Date(clock.now().getTime() - MAILS_KEPT_MS);
      return (await mails.purge(before, PURGE_BATCH)) === PURGE_BATCH;
    },
  };
  if (mailer === undefined) return [purge];
  const run: Task['run'] = (isClosing) => sendMails({ mails, mailer, clock, logger, isClosing });
  return [purge, { name: 'mails', everyMs: 5 * SECOND, run }];
}
