import { HookError } from '../changes/change.ts';
import { hookFailure } from '../changes/hook-failure.ts';
import { HookLog } from '../changes/hook-log.ts';
import type { Clock } from '../kernel/basics/clock.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import type { Id } from '../kernel/basics/id.ts';
import type { Logger } from '../kernel/basics/logger.ts';
import { isError } from '../kernel/errors/is-error.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import type { OperationRunner } from '../payments/operations/operation-runner.ts';
import type { ToSend } from '../payments/operations/operation-subject.ts';
import { type Failing, failedAgain } from './failing.ts';
import type { DueQuery } from './invoices/invoice-repository.ts';

/** Of one account, a pass has as many as its settings allow for a second. */
const PASS_MS = 1_000;
/** In one pass: accounts, and objects of all accounts. */
const LIMIT = 200;
/** Transactions at once: enough for all of a pass in a second, and few for the requests that wait beside them. */
const LANES = 2;
/** Charges that are on their way to a processor; what is beyond is sent by the resolver. */
const MAX_SENDING = 64;
/** While another transaction has locked it. */
const LOCKED_MS = 5_000;

/** Something that is due. */
interface Due extends Owner {
  readonly id: Id<string>;
  readonly nextActionAt: Date;
}

/** What is due of one kind, and what does it. */
export interface DueWork<Of extends Due> {
  /** Before the id, in logs: `subscription`. */
  readonly noun: string;
  findDue(asked: DueQuery): Promise<readonly Of[]>;
  /** @returns what is to be sent to a processor */
  advance(due: Of, until: Date): Promise<ToSend | undefined>;
  postpone(due: Of, until: Date, failing?: Failing): Promise<void>;
  /** Why it could not be done before; undefined: it did not fail. */
  failingOf(due: Of): Promise<Failing | undefined>;
}

export interface SchedulerPorts {
  readonly runner: Pick<OperationRunner, 'start'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Does what is due of billing, fairly: of each account the oldest, and few at once, so that many renewals at
 * midnight do not drown the API. Any number of processes may do it at the same time.
 */
export class BillingScheduler<Of extends Due> {
  readonly #work: DueWork<Of>;
  readonly #ports: SchedulerPorts;
  readonly #hookLog: HookLog;
  #from: Owner | undefined;
  #sending = 0;

  constructor(work: DueWork<Of>, ports: SchedulerPorts) {
    this.#work = work;
    this.#ports = ports;
    this.#hookLog = new HookLog(ports.logger);
  }

  /**
   * One pass.
   * @returns after how many milliseconds the next one may begin, because more may be due; undefined if
   *   nothing was due, and nothing is being sent
   */
  async pass(isClosing: () => boolean): Promise<number | undefined> {
    const startedMs = performance.now();
    const now = this.#ports.clock.now();
    const due = await this.#work.findDue({ now, from: this.#from, limit: LIMIT });
    const accounts = new Set(due.map(({ accountId, environment }) => accountId + environment));
    // Beyond so many accounts there are others, whose turn is next.
    this.#from = accounts.size < LIMIT ? undefined : due.at(-1);
    // Two processes that begin together begin at different places, so that neither finds what the other has done.
    const start = Math.floor(Math.random() * due.length);
    const queue = inTurns([...due.slice(start), ...due.slice(0, start)]);
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next && !isClosing(); next = queue.shift()) {
        const toSend = await this.#advance(next, now);
        // Not awaited: a processor that is slow to answer delays nobody else.
        if (toSend && this.#sending < MAX_SENDING) void this.#send(toSend);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (due.length === 0 && this.#sending === 0) return undefined;
    return Math.max(0, PASS_MS - (performance.now() - startedMs));
  }

  async #advance(due: Of, now: Date): Promise<ToSend | undefined> {
    try {
      return await this.#work.advance(due, now);
    } catch (error) {
      await this.#postpone(due, error);
      return undefined;
    }
  }

  /** One that fails delays nobody: it is tried again later, and the log says why, once for each cause. */
  async #postpone(due: Of, error: unknown): Promise<void> {
    const { clock, logger } = this.#ports;
    const { noun } = this.#work;
    const facts = {
      [noun]: due.id,
      account: due.accountId,
      err: isError(error) ? error : undefined,
    };
    if (HookError.is(error) && error.isMissing) {
      // Another process with the hook may bill it at any moment.
      const consequence = 'It stays due.';
      this.#hookLog.report(error, { id: due.id, object: due.id, consequence });
      return;
    }
    if (PaymountError.is(error) && error.code === 'lock_timeout') {
      logger.warn(facts, `Another transaction has locked what a due ${noun} needs, so it waits.`);
      const soon = new Date(clock.now().getTime() + LOCKED_MS);
      await this.#work.postpone(due, soon).catch(() => undefined);
      return;
    }
    const now = clock.now();
    const before = await this.#work.failingOf(due).catch(() => undefined);
    const message = failureMessage(error, due.id);
    const { failing, retryAt, isNews } = failedAgain(before, message, now);
    if (HookError.is(error)) {
      const consequence = `Nothing of it is kept; the ${noun} stays due, and Paymount tries again within an hour.`;
      this.#hookLog.report(error, { id: due.id, object: due.id, consequence });
    } else if (isNews) {
      const next = 'Paymount tries again ever less often, and at least once an hour.';
      logger.error(facts, `A due ${noun} could not be billed. ${next}`);
    }
    await this.#work.postpone(due, retryAt, failing).catch(() => undefined);
  }

  async #send({ operation, subject }: ToSend): Promise<void> {
    this.#sending += 1;
    try {
      await this.#ports.runner.start(operation, subject);
    } catch (error) {
      const err = isError(error) ? error : undefined;
      const message = 'A charge of an invoice could not be sent; the resolver sends it.';
      this.#ports.logger.warn({ operation: operation.id, err }, message);
    } finally {
      this.#sending -= 1;
    }
  }
}

/** The first of each account, then the second of each: of one account, one waits for the invoice number of another. */
function inTurns<Of extends Due>(due: readonly Of[]): Of[] {
  const places = new Map<string, number>();
  const placed = due.map((each) => {
    const owner = each.accountId + each.environment;
    const place = places.get(owner) ?? 0;
    places.set(owner, place + 1);
    return { each, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ each }) => each);
}

/** What an operator reads about it: the whole error is in the log. */
function failureMessage(error: unknown, id: string): string {
  if (HookError.is(error)) return hookFailure(error, id, 'It stays due.').sentence;
  if (PaymountError.is(error)) return `${error.code}: ${error.message}`;
  return 'An unexpected error, which is in the log of the worker.';
}
