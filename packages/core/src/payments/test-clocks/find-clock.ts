import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertSteady, type Clocked } from './object-clock.ts';
import {
  MAX_CUSTOMERS_OF_CLOCK,
  type TestClock,
  toObjectClock,
  touchedClock,
} from './test-clock.ts';
import type { TestClockReader, TestClockRepository } from './test-clock-repository.ts';
import type { TestClockWrite } from './test-clock-storage.ts';

interface Read {
  readonly testClocks: TestClockReader;
}

/** The parameter that names the clock of a new object. */
const PARAM = 'test_clock';

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
  return findLive((id) => testClocks.find(owner, id), name, param);
}

/**
 * The clock of a new payout, which is neither advanced nor deleted until the transaction ends: a
 * deleted clock sends none.
 * @param name as it was sent in `test_clock`
 * @throws PaymountError `resource_missing`, `test_clock_advancing`
 */
export async function holdClock(
  { testClocks }: { readonly testClocks: TestClockRepository },
  owner: Owner,
  name: string | undefined,
): Promise<Clocked> {
  if (name === undefined) return {};
  const held = await findLive((id) => testClocks.findForUpdate(owner, id), name, PARAM);
  const on = { clock: toObjectClock(held) };
  assertSteady(on);
  return on;
}

/**
 * The clock of a new customer, and the write that makes customers who are created at once take turns.
 * @throws PaymountError `resource_missing`, `test_clock_advancing`, `test_clock_full`
 */
export async function placeOn(
  read: Read,
  owner: Owner,
  name: string | undefined,
): Promise<Clocked & { readonly writes: readonly TestClockWrite[] }> {
  if (name === undefined) return { writes: [] };
  const found = await findLiveClock(read, owner, name, PARAM);
  const clock = toObjectClock(found);
  assertSteady({ clock });
  const count = await read.testClocks.countCustomers(owner, found.id);
  if (count >= MAX_CUSTOMERS_OF_CLOCK) {
    throw new PaymountError('test_clock_full', undefined, { param: PARAM });
  }
  const row = touchedClock(found);
  return { clock, writes: [{ kind: 'test_clock', mode: 'update', row }] };
}

function findLive(
  find: (id: TestClockId) => Promise<TestClock | undefined>,
  name: string,
  param: string | undefined,
): Promise<TestClock> {
  const asked = {
    noun: 'test clock',
    prefix: 'clock',
    ...(param === undefined ? {} : { param }),
  } as const;
  return findOrThrow(asked, name, async (id) => {
    const found = await find(id);
    return found?.deletedAt === undefined ? found : undefined;
  });
}
