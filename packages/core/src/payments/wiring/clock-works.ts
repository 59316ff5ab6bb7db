import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { postDueFunds } from '../../ledger/availability.ts';
import { expireAuthorization } from '../charges/expiry.ts';
import { endDispute } from '../disputes/expiry.ts';
import type { NoticeInbox } from '../notices/notice-inbox.ts';
import type { PlannedNoticeQueue } from '../operations/operation-repository.ts';
import type { OperationRunner } from '../operations/operation-runner.ts';
import type { Processor } from '../processor/processor.ts';
import type { ClockWork } from '../test-clocks/clock-work.ts';
import { workOn } from '../test-clocks/work-on.ts';
import type { PaymentStorage } from './payment-storage.ts';

/** Each item may have a transaction of its own, and a lease covers a batch. */
const BATCH = 20;
/** In one transaction. */
const FUNDS = 500;

export interface ClockWorkPorts {
  readonly storage: PaymentStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly plannedNotices: PlannedNoticeQueue;
  readonly inbox: NoticeInbox;
  readonly runner: Pick<OperationRunner, 'start'>;
  readonly clock: Clock;
  readonly crashPoint: CrashPoint;
}

/**
 * Every kind of work that becomes due on test clocks. Of kinds that are due at the same time, the first
 * one is done first: what leaves or is reported, then what follows from time alone.
 */
export function createClockWorks(ports: ClockWorkPorts): readonly ClockWork[] {
  return [
    unsentPayouts(ports),
    unansweredOperations(ports),
    plannedNotices(ports),
    pendingFunds(ports),
    authorizations(ports),
    disputes(ports),
  ];
}

/**
 * A payout on a clock is sent as soon as its clock advances: until then it can be canceled. One at a
 * time, because a processor may take long to answer.
 */
function unsentPayouts({ storage, runner }: ClockWorkPorts): ClockWork {
  return {
    task: 'send',
    byHand: 'cancel the payout',
    async nextDue({ id }, until) {
      const [payout] = await storage.transaction(({ payouts }) => payouts.findUnsentOn(id, 1));
      if (payout === undefined || payout.created > until) return undefined;
      return { due: payout.created, object: payout.id };
    },
    async run({ id }) {
      const operation = await storage.transaction(async ({ payouts, operations }) => {
        const [payout] = await payouts.findUnsentOn(id, 1);
        return payout && operations.findUnresolved(payout, payout.id);
      });
      if (operation?.state !== 'created') return 0;
      await workOn(operation.subjectId, () => runner.start(operation));
      return 1;
    },
  };
}

/**
 * What was asked of the processor is answered at the time at which it was asked, also if the process
 * that asked died before the request left, or if the hook refuses the answer: the clock stands until
 * the resolver has done it. Of an operation about which the processor gives no answer, nobody knows
 * when it ends, so the clock moves on.
 */
function unansweredOperations({ storage }: ClockWorkPorts): ClockWork {
  const find = (id: TestClockId) =>
    storage.transaction(({ operations }) => operations.findUnansweredOn(id));
  return {
    task: 'wait for the answer about',
    async nextDue({ id, frozenTime }) {
      const operation = await find(id);
      return operation && { due: frozenTime, object: operation.subjectId };
    },
    async run({ id }) {
      const operation = await find(id);
      if (operation === undefined) return 0;
      return operation.outcome === undefined ? 'answer' : 'hook';
    },
  };
}

/** What the sandbox reports at its time: refunds that are settled, disputes, payouts that are paid. */
function plannedNotices({ plannedNotices: planned, inbox, crashPoint }: ClockWorkPorts): ClockWork {
  return {
    task: 'apply notice',
    async nextDue({ id }, until) {
      const [notice] = await planned.findDueOn(id, until, 1);
      return notice && { due: notice.dueAt, object: notice.noticeId };
    },
    async run({ id, environment, frozenTime }) {
      const due = await planned.findDueOn(id, frozenTime, BATCH);
      for (const notice of due) {
        await workOn(notice.noticeId, () => inbox.recordAndApply(environment, notice));
      }
      crashPoint('test_clock.after_notices');
      await planned.remove(due.map(({ noticeId }) => noticeId));
      return due.length;
    },
  };
}

function pendingFunds({ storage }: ClockWorkPorts): ClockWork {
  return {
    task: 'release the funds of',
    async nextDue({ id: object }, until) {
      const due = await storage.transaction(({ ledger }) => ledger.nextDueFunds(object, until));
      return due && { due, object };
    },
    run: (clock) =>
      storage.transaction(async ({ ledger, testClocks }) => {
        const at = clock.frozenTime;
        // Another worker may have taken the clock while this one was busy.
        if (!(await testClocks.shows(clock, at))) throw new PaymountError('lock_timeout');
        return postDueFunds(ledger, { at, limit: FUNDS, clock: clock.id });
      }),
  };
}

function authorizations({ storage, clock }: ClockWorkPorts): ClockWork {
  const find = (until: Date, limit: number, id: TestClockId) =>
    storage.transaction(({ charges }) =>
      charges.findExpiredAuthorizations(until, limit, undefined, id),
    );
  return {
    task: 'expire the authorization of',
    byHand: 'cancel the charge',
    async nextDue({ id }, until) {
      const [charge] = await find(until, 1, id);
      return charge && { due: charge.captureBefore, object: charge.id };
    },
    async run({ id, frozenTime }) {
      let done = 0;
      for (const charge of await find(frozenTime, BATCH, id)) {
        const expire = () => expireAuthorization(storage, charge, clock.now());
        if (await workOn(charge.id, expire)) done += 1;
      }
      return done;
    },
  };
}

function disputes({ storage, processors, clock }: ClockWorkPorts): ClockWork {
  const find = (until: Date, limit: number, id: TestClockId) =>
    storage.transaction((rows) => rows.disputes.findDue(until, limit, undefined, id));
  return {
    task: 'end',
    byHand: 'close the dispute',
    async nextDue({ id }, until) {
      const [dispute] = await find(until, 1, id);
      return dispute && { due: dispute.dueBy, object: dispute.id };
    },
    async run({ id, frozenTime }) {
      let done = 0;
      for (const dispute of await find(frozenTime, BATCH, id)) {
        const end = () => endDispute({ storage, processors }, dispute, clock.now());
        if (await workOn(dispute.id, end)) done += 1;
      }
      return done;
    },
  };
}
