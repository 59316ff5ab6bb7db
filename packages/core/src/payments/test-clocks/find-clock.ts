import type { Owner } from '../../kernel/basics/environment.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertSteady, type Clocked } from '../object-clock.ts';
import type { PaymentWrite } from '../payment-change.ts';
import type { PaymentReaders } from '../payment-storage.ts';
import {
  MAX_CUSTOMERS_OF_CLOCK,
  type TestClock,
  toObjectClock,
  touchedClock,
} from './test-clock.ts';

type Read = Pick<PaymentReaders, 'testClocks'>;

/**
 * Finds a clock that is not deleted.
 * @param param the parameter that named it; absent: the id in the path
 * @throws PaymountError `resource_missing`, also for a deleted one
 */
export function findLiveClock(
  { testClocks }: Read,
  owner: Owner,
  name: string,
  param?: string,
): Promise<TestClock> {
  const asked = {
    noun: 'test clock',
    prefix: 'clock',
    ...(param === undefined ? {} : { param }),
  } as const;
  return findOrThrow(asked, name, async (id) => {
    const found = await testClocks.find(owner, id);
    return found?.deletedAt === undefined ? found : undefined;
  });
}

/**
 * The clock of a new object.
 * @param name as it was sent in `test_clock`
 * @throws PaymountError `resource_missing`, `test_clock_advancing`
 */
export async function clockFor(
  read: Read,
  owner: Owner,
  name: string | undefined,
): Promise<Clocked> {
  const found = await namedClock(read, owner, name);
  return found === undefined ? {} : { clock: toObjectClock(found) };
}

/**
 * The clock of a new customer, and the write that makes customers who are created at once take turns.
 * @throws PaymountError as `clockFor`, and `test_clock_full`
 */
export async function placeOn(
  read: Read,
  owner: Owner,
  name: string | undefined,
): Promise<Clocked & { readonly writes: readonly PaymentWrite[] }> {
  const found = await namedClock(read, owner, name);
  if (found === undefined) return { writes: [] };
  const count = await read.testClocks.countCustomers(owner, found.id);
  if (count >= MAX_CUSTOMERS_OF_CLOCK) {
    throw new PaymountError('test_clock_full', undefined, { param: 'test_clock' });
  }
  const row = touchedClock(found);
  return {
    clock: toObjectClock(found),
    writes: [{ kind: 'test_clock', mode: 'update', row }],
  };
}

async function namedClock(
  read: Read,
  owner: Owner,
  name: string | undefined,
): Promise<TestClock | undefined> {
  if (name === undefined) return undefined;
  const found = await findLiveClock(read, owner, name, 'test_clock');
  assertSteady({ clock: toObjectClock(found) });
  return found;
}
