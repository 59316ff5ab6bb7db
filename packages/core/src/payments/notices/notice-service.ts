import type { AuditAction, AuditFacts } from '../../changes/audit/audit.ts';
import { applyIn } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { StoredNoticeId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { ownerOrNobody } from '../../kernel/basics/nobody.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { NoticeInbox } from './notice-inbox.ts';
import type { NoticeDismiss } from './notice-input.ts';
import { toNoticeResource } from './notice-resource.ts';
import type { NoticeChange, NoticeRepositories, NoticeStorage } from './notice-storage.ts';
import { ignoredNotice, isOpenNotice, type StoredNotice } from './stored-notice.ts';

export interface NoticeServicePorts {
  readonly storage: NoticeStorage;
  readonly inbox: Pick<NoticeInbox, 'applyIn'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The person who decides about a notice. */
export type NoticeCaller = Pick<Call, 'audit' | 'claim'>;

/** A person's decision, and what the audit row says of it. */
interface Decided {
  readonly after: StoredNotice;
  readonly action: AuditAction;
  readonly facts: AuditFacts;
}

type Decide = (rows: NoticeRepositories, stored: StoredNotice) => Promise<Decided>;

/** Decisions of people about notices that could not be applied. */
export class NoticeService {
  readonly #ports: NoticeServicePorts;

  constructor(ports: NoticeServicePorts) {
    this.#ports = ports;
  }

  /**
   * Tries a notice again at once, with its schedule from the beginning; also one that was ignored, or
   * dismissed by mistake. It may wait, be ignored, or need a person again.
   * @throws PaymountError `resource_missing`, `notice_not_open`, `notice_unreadable`, `hook_refused`,
   *   `hook_missing`, `lock_timeout`
   */
  retry(caller: NoticeCaller, id: StoredNoticeId): Promise<StoredNotice> {
    return this.#commit(caller, id, async (rows, stored) => {
      if (stored.notice.kind === 'unreadable') throw unreadable(stored);
      if (stored.state === 'applied') throw notOpen(stored);
      const after = await this.#ports.inbox.applyIn(rows, { ...stored, tries: 0 });
      const reason = 'reason' in after ? { reason: after.reason } : {};
      return { after, action: 'notice.retry', facts: reason };
    });
  }

  /**
   * Sets a notice aside: it changes nothing.
   * @throws PaymountError `resource_missing`, `notice_not_open`, `lock_timeout`
   */
  dismiss(
    caller: NoticeCaller,
    id: StoredNoticeId,
    { reason }: NoticeDismiss,
  ): Promise<StoredNotice> {
    return this.#commit(caller, id, async (rows, stored) => {
      if (!isOpenNotice(stored) && stored.state !== 'quarantined') throw notOpen(stored);
      const tried = ignoredNotice(stored, reason.trim());
      await rows.notices.save(tried, []);
      return { after: tried.stored, action: 'notice.dismiss', facts: { reason: reason.trim() } };
    });
  }

  /** Decides under the lock of the notice; the caller's key and audit row commit with it. */
  async #commit(caller: NoticeCaller, id: StoredNoticeId, decide: Decide): Promise<StoredNotice> {
    const { storage, clock, logger } = this.#ports;
    try {
      return await storage.transaction(async (rows) => {
        const stored = await rows.notices.take(id);
        // A worker tries it just now.
        if (stored === undefined) throw new PaymountError('lock_timeout');
        const decided = await decide(rows, stored);
        await applyIn(rows, auditChange(caller, stored, decided, clock.now()));
        return decided.after;
      });
    } catch (error) {
      const consequence = 'The notice stays as it was.';
      throw hookRefusal(error, logger, { object: id, consequence, facts: { notice: id } });
    }
  }
}

/** Only what names it was stored. */
function unreadable({ id }: StoredNotice): Error {
  const message =
    `Notice ${id} could not be read, and its contents were not stored. Let the processor send it ` +
    'again once the adapter reads it, or dismiss it.';
  return new PaymountError('notice_unreadable', message);
}

function notOpen({ id, state }: StoredNotice): Error {
  const message = `Notice ${id} is ${state}; there is nothing to decide.`;
  return new PaymountError('notice_not_open', message);
}

function auditChange(
  { audit, claim }: NoticeCaller,
  before: StoredNotice,
  { after, action, facts }: Decided,
  at: Date,
): NoticeChange {
  const { accountId, environment } = after;
  return {
    ...ownerOrNobody(after),
    at,
    writes: [],
    ...(claim && {
      claim,
      response: { key: claim.key, response: toStoredResponse(toNoticeResource(after)) },
    }),
    ...(audit && {
      audit: {
        ...audit,
        ...(accountId === undefined ? {} : { accountId }),
        environment,
        action,
        target: after.id,
        before: { state: before.state },
        after: { state: after.state, ...facts },
        created: at,
      },
    }),
  };
}
