import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { TestClock } from './test-clock.ts';
import type { TestClockReader, TestClockRepository } from './test-clock-repository.ts';

export type TestClockWrite = Write<'test_clock', TestClock>;

/** The change that the service of test clocks commits. */
export type TestClockChange = Change<TestClockWrite>;

/** What the service of test clocks needs of storage. */
export type TestClockStorage = AreaStorage<
  { readonly testClocks: TestClockReader },
  {
    readonly testClocks: TestClockRepository;
    readonly changes: ChangeRepository<TestClockChange>;
  }
>;
