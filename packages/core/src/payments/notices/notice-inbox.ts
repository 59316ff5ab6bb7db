import { HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { HookLog } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { StoredNoticeId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { Slots } from '../../kernel/basics/slots.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { Telemetry } from '../../kernel/telemetry/telemetry.ts';
import { type AccountLocks, LockedAccounts, PATIENT_LOCKS } from '../operations/locked-accounts.ts';
import type { PlannedNotice } from '../operations/operation-repository.ts';
import type { NoticeSource } from '../processor/notice.ts';
import type { Processor } from '../processor/processor.ts';
import { decideNotice } from './decide-notice.ts';
import type { NoticeAppliers } from './notice-applier.ts';
import { noticeMail } from './notice-mail.ts';
import type { NoticeOrigin, NoticeQueue } from './notice-repository.ts';
import type { NoticeRepositories, NoticeStorage } from './notice-storage.ts';
import { assertTakesNotices, type IngestLimits, readNotices } from './read-notices.ts';
import { toStorableNotice } from './storable-notice.ts';
import {
  isOpenNotice,
  lockedNotice,
  postponedNotice,
  refusedNotice,
  type StoredNotice,
  type TriedNotice,
} from './stored-notice.ts';
import type { KeptNotice } from './unreadable-notice.ts';

/** One request brings at most this; processors send far less. */
const REQUEST_LIMITS: IngestLimits = { notices: 1_000, ms: 30_000 };
/** A file of a day may be long; it is stored in batches. */
const FILE_LIMITS: IngestLimits = { notices: 1_000_000, ms: 60 * 60_000 };
const BATCH = 1_000;
/** How long notices are left to the process that stored them; workers apply them after that. */
const LEASE_MS = 30_000;
/** Notices of this process at a time; each needs a connection. */
const SLOTS = 4;
/** More are left to workers. */
const MAX_WAITING = 1_000;

const REFUSED = 'The hook of the host refused the result, or this process has no hook.';
const LOCKED = 'Another transaction had locked what it is about, or the database took too long.';
const FAILED = 'It could not be applied; the log has the error.';

export interface NoticeInboxPorts {
  readonly storage: NoticeStorage;
  readonly queue: NoticeQueue;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly appliers: NoticeAppliers;
  readonly sealer: Pick<Sealer, 'seal'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly crashPoint: CrashPoint;
  /** The e-mail address for notices that a person must look at. @defaultValue nobody */
  readonly operator?: string;
}

/** The notices of one source, after they were stored. */
export interface Ingested {
  /** How many the source had. */
  readonly notices: number;
  /** The ids of those that were not stored before. */
  readonly recorded: readonly StoredNoticeId[];
}

/**
 * Takes what processors report: each notice is stored before anything else, once, and then applied
 * in a transaction of its own. After it was stored, workers try it until it has a final state.
 */
export class NoticeInbox {
  readonly #ports: NoticeInboxPorts;
  readonly #slots = new Slots(SLOTS, { waitMs: LEASE_MS, queue: MAX_WAITING });

  readonly #hookLog: HookLog;
  readonly #locks: LockedAccounts;

  constructor(ports: NoticeInboxPorts) {
    this.#ports = ports;
    this.#locks = new LockedAccounts(ports);
    this.#hookLog = new HookLog(ports.logger);
  }

  /** @throws PaymountError `operation_not_supported` if the adapter takes no notices */
  assertTakesNotices(environment: Environment): void {
    assertTakesNotices(this.#ports.processors[environment]);
  }

  /**
   * Stores the notices of a source. Those of a request are stored together or not at all; those of
   * a file in batches of 1,000. Both may be given again: what is stored is left out.
   * @throws PaymountError `operation_not_supported`; and what `readNotices` throws
   */
  async record(environment: Environment, source: NoticeSource): Promise<Ingested> {
    const { processors, clock, sealer } = this.#ports;
    const processor = processors[environment];
    const limits = 'file' in source ? FILE_LIMITS : REQUEST_LIMITS;
    const origin = { environment, processor: processor.name };
    const recorded: StoredNoticeId[] = [];
    let notices = 0;
    let batch: KeptNotice[] = [];
    for await (const notice of readNotices(processor, source, limits, clock)) {
      notices += 1;
      batch.push(await toStorableNotice(notice, sealer, environment));
      if (batch.length < BATCH || !('file' in source)) continue;
      recorded.push(...(await this.#recordBatch(origin, batch)));
      batch = [];
    }
    recorded.push(...(await this.#recordBatch(origin, batch)));
    return { notices, recorded };
  }

  /**
   * Applies stored notices, one after the other and a few at a time in this process. Never rejects:
   * workers try again what failed, and apply what is not applied when the lease ends.
   * @param isClosing whether to leave the rest to workers
   */
  async applyAll(ids: readonly StoredNoticeId[], isClosing = (): boolean => false): Promise<void> {
    const endMs = this.#ports.clock.monotonicMs() + LEASE_MS;
    for (const id of ids) {
      if (isClosing() || this.#ports.clock.monotonicMs() >= endMs) return;
      if ((await this.#slots.use(() => this.#guarded(id))) === 'full') return;
    }
  }

  /**
   * Stores and applies what the sandbox sends on a test clock, before the clock moves again.
   * @throws what kept it from being applied; it may be given again
   */
  async recordAndApply(environment: Environment, planned: PlannedNotice): Promise<void> {
    const { processors, queue } = this.#ports;
    await this.record(environment, { file: toFile([planned]) });
    const origin = { environment, processor: processors[environment].name };
    for (const id of await queue.findOpen(origin, [planned.noticeId])) {
      const after = await this.#apply(id, PATIENT_LOCKS);
      this.#ports.crashPoint('notice.after_apply');
      if (after !== undefined) this.#report(after);
    }
  }

  /** Applies the due notices of an environment. @returns how many it tried */
  async sweep(environment: Environment): Promise<number> {
    const { queue } = this.#ports;
    const due = await queue.claimDue({ environment, limit: SLOTS, leaseMs: LEASE_MS });
    await Promise.all(due.map((id) => this.#slots.use(() => this.#guarded(id))));
    return due.length;
  }

  /**
   * Applies a notice that the transaction has locked: its change and its new state commit together.
   * @param locks how it waits for locks. @defaultValue as long as any request
   * @throws HookError and PaymountError `lock_timeout`, after which nothing may be committed
   */
  async applyIn(
    rows: NoticeRepositories,
    stored: StoredNotice,
    locks: AccountLocks = PATIENT_LOCKS,
  ): Promise<StoredNotice> {
    const { appliers, clock } = this.#ports;
    const at = clock.now();
    const { tried, changes } = await decideNotice({ appliers, rows, locks, at }, stored);
    for (const change of changes) await locks.take(change.accountId, () => applyIn(rows, change));
    const { rootId } = tried.stored;
    // Before this one is saved, so that it is not among them.
    if (rootId !== undefined && isAwaited(stored, tried)) await rows.notices.hasten(rootId);
    await this.#save(rows, tried, at);
    return tried.stored;
  }

  async #recordBatch(
    origin: NoticeOrigin,
    notices: readonly KeptNotice[],
  ): Promise<readonly StoredNoticeId[]> {
    if (notices.length === 0) return [];
    const { queue, clock, crashPoint } = this.#ports;
    crashPoint('notice.before_record');
    const at = clock.now();
    const recorded = await queue.record({ origin, notices, at, leaseMs: LEASE_MS });
    crashPoint('notice.after_record');
    return recorded;
  }

  async #guarded(id: StoredNoticeId): Promise<void> {
    try {
      const after = await this.#apply(id, this.#locks);
      this.#hookLog.forget(id);
      this.#ports.crashPoint('notice.after_apply');
      if (after !== undefined) this.#report(after);
    } catch (error) {
      await this.#postpone(id, error);
    }
  }

  /** @returns undefined if another process has it, or if it needs nothing more */
  #apply(id: StoredNoticeId, locks: AccountLocks): Promise<StoredNotice | undefined> {
    const { storage, crashPoint } = this.#ports;
    return storage.transaction(async (rows) => {
      const stored = await rows.notices.take(id);
      if (stored === undefined || !isOpenNotice(stored)) return undefined;
      const after = await this.applyIn(rows, stored, locks);
      crashPoint('notice.before_apply');
      return after;
    });
  }

  /** After an error nothing was written; the notice waits for the hook, a lock, or a better time. */
  async #postpone(id: StoredNoticeId, error: unknown): Promise<void> {
    const { storage, clock, logger } = this.#ports;
    if (HookError.is(error)) {
      const consequence = `The notice is applied again; \`paymount notices show ${id}\` shows it.`;
      this.#hookLog.report(error, { id, object: id, consequence, facts: { notice: id } });
    } else if (isLockTimeout(error)) {
      if (!this.#locks.isNoted(error)) {
        logger.warn({ notice: id }, `${LOCKED} The notice is tried again.`);
      }
    } else {
      const facts = { notice: id, err: isError(error) ? error : undefined };
      logger.error(facts, 'A notice of a processor could not be applied; Paymount tries again.');
    }
    const postponed = (stored: StoredNotice): TriedNotice => {
      if (HookError.is(error)) return refusedNotice(stored, REFUSED, clock.now());
      if (isLockTimeout(error)) return lockedNotice(stored, LOCKED, clock.now());
      return postponedNotice(stored, FAILED, clock.now());
    };
    try {
      const after = await storage.transaction(async (rows) => {
        const stored = await rows.notices.take(id);
        if (stored === undefined || !isOpenNotice(stored)) return undefined;
        const tried = postponed(stored);
        await this.#save(rows, tried, clock.now());
        return tried.stored;
      });
      if (after !== undefined) this.#report(after);
    } catch (unsaved) {
      const err = isError(unsaved) ? unsaved : undefined;
      logger.warn({ notice: id, err }, 'A notice is tried again when its lease ends.');
    }
  }

  async #save(rows: NoticeRepositories, tried: TriedNotice, at: Date): Promise<void> {
    const { operator } = this.#ports;
    const { stored } = tried;
    const isReviewed = stored.state === 'quarantined' && operator !== undefined;
    await rows.notices.save(tried, isReviewed ? [noticeMail(operator, stored, at)] : []);
  }

  /** Called after the commit. */
  #report(stored: StoredNotice): void {
    const { logger, telemetry } = this.#ports;
    const { environment, state, notice } = stored;
    telemetry.count('paymount_notices_total', { environment, kind: notice.kind, state });
    if (stored.state !== 'quarantined') return;
    const { id: at, processor, accountId: account, foundId: operation, reason } = stored;
    logger.error(
      { notice: at, kind: notice.kind, environment, processor, account, operation, reason },
      'A notice of a processor waits for a person.',
    );
  }
}

function isLockTimeout(error: unknown): boolean {
  return PaymountError.is(error) && error.code === 'lock_timeout';
}

/**
 * Whether others may have waited for a notice: it changed something, or is a ruling that was not known. A
 * ruling that waits for its chargeback tells that the chargeback will not keep the money.
 */
function isAwaited(before: StoredNotice, { stored: { state } }: TriedNotice): boolean {
  if (state === 'applied') return true;
  return isUnknown(before) && state === 'waiting' && before.notice.kind === 'dispute.closed';
}

/** Nothing was decided about it yet: each try ended in a lock or at the hook. */
function isUnknown(stored: StoredNotice): boolean {
  if (stored.state === 'received') return true;
  return stored.state === 'waiting' && [LOCKED, REFUSED].includes(stored.reason);
}

/** The lines that the sandbox reads. */
export async function* toFile(notices: readonly PlannedNotice[]): AsyncGenerator<Uint8Array> {
  for (const { text } of notices) yield Buffer.from(`${text}\n`);
}
