import type { Clock } from '../kernel/basics/clock.ts';
import type { CrashPoint } from '../kernel/basics/crash-point.ts';
import type { Environment } from '../kernel/basics/environment.ts';
import type { TestClockId } from '../kernel/basics/id.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { postDueFunds } from '../ledger/availability.ts';
import { expireAuthorization } from './charges/expiry.ts';
import { endDispute } from './disputes/expiry.ts';
import type { NoticeInbox } from './notices/notice-inbox.ts';
import type { PlannedNoticeQueue } from './operations/operation-repository.ts';
import type { OperationRunner } from './operations/operation-runner.ts';
import type { Processor } from './operations/processor.ts';
import type { PaymentStorage } from './payment-storage.ts';
import type { ClockWork } from './test-clocks/clock-work.ts';

/** Each item may have a transaction of its own, and a lease covers a batch. */
const BATCH = 20;
/** In one transaction. */
const FUNDS = 500;

export interface ClockWorkPorts {
  readonly storage: PaymentStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly plannedNotices: PlannedNoticeQueue;
  readonly inbox: NoticeInbox;
  readonly runner: OperationRunner;
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
    name: 'payouts',
    async nextDue({ id }, until) {
      const [payout] = await storage.transaction(({ payouts }) => payouts.findUnsentOn(id, 1));
      return payout && payout.created <= until ? payout.created : undefined;
    },
    async run({ id }) {
      const operation = await storage.transaction(async ({ payouts, operations }) => {
        const [payout] = await payouts.findUnsentOn(id, 1);
        return payout && operations.findUnresolved(payout, payout.id);
      });
      if (operation?.state !== 'created') return 0;
      await runner.start(operation);
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
    name: 'operations',
    nextDue: async ({ id, frozenTime }) => (await find(id)) && frozenTime,
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
    name: 'notices',
    nextDue: async ({ id }, until) => (await planned.findDueOn(id, until, 1))[0]?.dueAt,
    async run({ id, environment, frozenTime }) {
      const due = await planned.findDueOn(id, frozenTime, BATCH);
      await inbox.recordAndApply(environment, due);
      crashPoint('test_clock.after_notices');
      await planned.remove(due.map(({ noticeId }) => noticeId));
      return due.length;
    },
  };
}

function pendingFunds({ storage }: ClockWorkPorts): ClockWork {
  return {
    name: 'funds',
    nextDue: ({ id }, until) => storage.transaction(({ ledger }) => ledger.nextDueFunds(id, until)),
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
    name: 'authorizations',
    nextDue: async ({ id }, until) => (await find(until, 1, id))[0]?.captureBefore,
    async run({ id, frozenTime }) {
      let done = 0;
      for (const charge of await find(frozenTime, BATCH, id)) {
        if (await expireAuthorization(storage, charge, clock.now())) done += 1;
      }
      return done;
    },
  };
}

function disputes({ storage, processors, clock }: ClockWorkPorts): ClockWork {
  const find = (until: Date, limit: number, id: TestClockId) =>
    storage.transaction((rows) => rows.disputes.findDue(until, limit, undefined, id));
  return {
    name: 'disputes',
    nextDue: async ({ id }, until) => (await find(until, 1, id))[0]?.dueBy,
    async run({ id, frozenTime }) {
      let done = 0;
      for (const dispute of await find(frozenTime, BATCH, id)) {
        if (await endDispute({ storage, processors }, dispute, clock.now())) done += 1;
      }
      return done;
    },
  };
}
