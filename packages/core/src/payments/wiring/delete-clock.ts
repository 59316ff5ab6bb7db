import { HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import type { HookLog } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { deleted } from '../customers/customer.ts';
import { withdrawPayout } from '../payouts/withdraw-payout.ts';
import {
  deletedClock,
  MAX_CUSTOMERS_OF_CLOCK,
  TEST_CLOCK_DAYS,
  type TestClock,
} from '../test-clocks/test-clock.ts';
import type { TestClockQueue } from '../test-clocks/test-clock-repository.ts';
import { ObjectWorkError, workOn } from '../test-clocks/work-on.ts';
import type { PaymentChange } from './payment-change.ts';
import type { PaymentRepositories, PaymentStorage } from './payment-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 20;

type KnownClock = Pick<TestClock, 'id' | 'accountId' | 'environment'>;

/** What deletes clocks. */
export interface DeleteClockPorts {
  readonly storage: Pick<PaymentStorage, 'transaction'>;
  /** Ends what others do on a clock, such as its subscriptions. @throws ObjectWorkError */
  readonly endOnClock: (clock: KnownClock) => Promise<void>;
}

/**
 * Deletes a clock with its customers, and stops what it was doing. Subscriptions are ended and payouts that
 * were not sent are canceled first, each in a transaction of its own, because their hook may be slow; then
 * once more subscriptions that were made meanwhile. What was sent comes
 * to its end: the test-mode processor answers about it as if all time had passed. Nothing new happens
 * any more, and what is booked stays.
 * @param known the clock; `fields`: of the change, such as the answer to an idempotency key
 * @throws PaymountError `resource_missing` if it is deleted; `lock_timeout` if something else changed
 *   a customer, or made a payout, meanwhile
 * @throws ObjectWorkError for one of them that could not be ended, for example by the host's hook
 */
export async function deleteClock(
  { storage, endOnClock }: DeleteClockPorts,
  known: KnownClock,
  at: Date,
  fields: Pick<PaymentChange, 'claim' | 'response' | 'credential'> = {},
): Promise<TestClock> {
  const { accountId, environment, id } = known;
  await endOnClock(known);
  await cancelUnsent(storage, known, at);
  const owner = { accountId, environment };
  const gone = await storage.transaction(async (rows) => {
    // Before the clock: a charge that is committed just now holds a payment method, and waits for it.
    await deleteCustomers(rows, owner, id, at);
    const clock = await rows.testClocks.findForUpdate(owner, id);
    if (clock === undefined || clock.deletedAt !== undefined) throw missing('test clock', id);
    // Made meanwhile: from now on there are no more. It is canceled when the clock is deleted again.
    const unsent = await rows.payouts.findUnsentOn(id, 1);
    if (unsent.length > 0) throw new PaymountError('lock_timeout');
    const row = deletedClock(clock, at);
    const writes = [{ kind: 'test_clock', mode: 'update', row }] as const;
    await applyIn(rows, { ...owner, at, writes, ...fields });
    // Those that were created meanwhile: from now on there are no more.
    await deleteCustomers(rows, owner, id, at);
    await rows.testClocks.forgetPlanned(id);
    await rows.operations.hastenOn(id);
    return row;
  });
  await endOnClock(known);
  return gone;
}

/** One that a worker has begun to send meanwhile is left to it. */
async function cancelUnsent(
  storage: Pick<PaymentStorage, 'transaction'>,
  { id }: KnownClock,
  at: Date,
): Promise<void> {
  for (;;) {
    const unsent = await storage.transaction(({ payouts }) => payouts.findUnsentOn(id, PAGE));
    for (const known of unsent) {
      await workOn(known.id, () =>
        storage.transaction(async (rows) => {
          const payout = await rows.payouts.findForUpdate(known, known.id);
          if (payout !== undefined) await withdrawPayout(rows, payout, at);
        }),
      );
    }
    if (unsent.length < PAGE) return;
  }
}

async function deleteCustomers(
  rows: PaymentRepositories,
  owner: Owner,
  clock: TestClockId,
  at: Date,
): Promise<void> {
  const { data } = await rows.customers.list(owner, { clock }, { limit: MAX_CUSTOMERS_OF_CLOCK });
  for (const customer of data) {
    const blank = { kind: 'customer', mode: 'update', row: deleted(customer, at) } as const;
    await applyIn(rows, { ...owner, at, writes: [blank], deletedCustomer: customer.id });
  }
}

interface OldClockPorts extends DeleteClockPorts {
  readonly testClocks: Pick<TestClockQueue, 'findOld'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Kept between passes. */
  readonly hookLog: HookLog;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * Deletes the clocks that were created 30 days ago: all of them, page by page. One that cannot be
 * deleted does not delay others; the next pass tries it again.
 */
export async function deleteOldClocks(ports: OldClockPorts): Promise<void> {
  const { testClocks, clock, isClosing } = ports;
  const before = new Date(clock.now().getTime() - TEST_CLOCK_DAYS * DAY_MS);
  let page: readonly TestClock[] = [];
  do {
    page = await testClocks.findOld(before, PAGE, page.at(-1));
    for (const old of page) {
      if (isClosing()) return;
      await deleteOrLog(ports, old);
    }
  } while (page.length === PAGE);
}

async function deleteOrLog(ports: OldClockPorts, old: TestClock): Promise<void> {
  const { clock, logger, hookLog } = ports;
  try {
    await deleteClock(ports, old, clock.now());
    hookLog.forget(old.id);
  } catch (error) {
    const [object, cause] =
      error instanceof ObjectWorkError ? [error.object, error.cause] : [old.id, error];
    const facts = { test_clock: old.id };
    if (HookError.is(cause)) {
      const consequence = `Test clock ${old.id}, which is 30 days old, is deleted later.`;
      hookLog.report(cause, { id: old.id, object, consequence, facts });
    } else {
      hookLog.forget(old.id);
      logger.error(
        { ...facts, object, err: isError(cause) ? cause : undefined },
        'A test clock that is 30 days old could not be deleted; Paymount tries again.',
      );
    }
  }
}
