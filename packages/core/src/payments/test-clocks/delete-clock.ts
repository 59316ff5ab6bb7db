import { applyIn } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { deleted } from '../customers/customer.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentRepositories, PaymentStorage } from '../payment-storage.ts';
import {
  deletedClock,
  MAX_CUSTOMERS_OF_CLOCK,
  TEST_CLOCK_DAYS,
  type TestClock,
} from './test-clock.ts';
import type { TestClockQueue } from './test-clock-repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 20;

/**
 * Deletes a clock with its customers, in one transaction. It stops what the clock was doing; charges
 * and what is booked stay as they are.
 * @param known the clock; `fields`: of the change, such as the answer to an idempotency key
 * @throws PaymountError `resource_missing` if it is deleted; `lock_timeout` if something else changed
 *   a customer meanwhile
 */
export function deleteClock(
  storage: Pick<PaymentStorage, 'transaction'>,
  known: Pick<TestClock, 'id' | 'accountId' | 'environment'>,
  at: Date,
  fields: Pick<PaymentChange, 'claim' | 'response' | 'credential'> = {},
): Promise<TestClock> {
  const { accountId, environment, id } = known;
  const owner = { accountId, environment };
  return storage.transaction(async (rows) => {
    // Before the clock: a charge that is committed just now holds a payment method, and waits for it.
    await deleteCustomers(rows, owner, id, at);
    const clock = await rows.testClocks.findForUpdate(owner, id);
    if (clock === undefined || clock.deletedAt !== undefined) throw missing('test clock', id);
    const row = deletedClock(clock, at);
    const writes = [{ kind: 'test_clock', mode: 'update', row }] as const;
    await applyIn(rows, { ...owner, at, writes, ...fields });
    // Those that were created meanwhile: from now on there are no more.
    await deleteCustomers(rows, owner, id, at);
    return row;
  });
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
    await applyIn(rows, { ...owner, at, writes: [blank], detachedFrom: customer.id });
  }
}

/**
 * Deletes the clocks that were created 30 days ago.
 * @returns whether more may be left
 */
export async function deleteOldClocks(ports: {
  readonly storage: Pick<PaymentStorage, 'transaction'>;
  readonly testClocks: Pick<TestClockQueue, 'findOld'>;
  readonly clock: Clock;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}): Promise<boolean> {
  const { storage, testClocks, clock, isClosing } = ports;
  const before = new Date(clock.now().getTime() - TEST_CLOCK_DAYS * DAY_MS);
  const old = await testClocks.findOld(before, PAGE);
  for (const each of old) {
    if (isClosing()) return false;
    await deleteClock(storage, each, clock.now());
  }
  return old.length === PAGE;
}
