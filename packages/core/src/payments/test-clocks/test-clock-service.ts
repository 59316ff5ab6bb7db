import type { AuditEntry } from '../../changes/audit/audit.ts';
import { applyIn, commit } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import { findLiveClock } from './find-clock.ts';
import { assertSteady } from './object-clock.ts';
import {
  advancing,
  isStuck,
  MAX_TEST_CLOCKS,
  stopped,
  type TestClock,
  toObjectClock,
} from './test-clock.ts';
import type { TestClockAdvance, TestClockCreate } from './test-clock-input.ts';
import {
  toAdminTestClockResource,
  toDeletedTestClockResource,
  toTestClockResource,
} from './test-clock-resource.ts';
import type { TestClockChange, TestClockStorage } from './test-clock-storage.ts';
import { ObjectWorkError } from './work-on.ts';

export interface TestClockPorts {
  readonly storage: TestClockStorage;
  /**
   * Deletes a clock with its customers, and stops what it was doing.
   * @param fields of the change of the clock
   * @throws ObjectWorkError for an object on it that could not be stopped
   */
  readonly deleteClock: (
    known: TestClock,
    at: Date,
    fields: Pick<TestClockChange, 'claim' | 'response'>,
  ) => Promise<TestClock>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The use cases of test clocks. Workers advance them. */
export class TestClockService {
  readonly #ports: TestClockPorts;

  constructor(ports: TestClockPorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `test_clock_limit_reached` */
  async create(call: Call, input: TestClockCreate): Promise<TestClock> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    return commit(storage.changes, async () => {
      if ((await storage.read.testClocks.count(owner)) >= MAX_TEST_CLOCKS) {
        throw new PaymountError('test_clock_limit_reached');
      }
      const at = clock.now();
      const row: TestClock = {
        ...owner,
        id: newId('clock'),
        version: 1,
        status: 'ready',
        name: input.name ?? null,
        frozenTime: input.frozen_time,
        created: at,
        createdBy: makerOf(call),
      };
      const change = {
        ...owner,
        at,
        writes: [{ kind: 'test_clock', mode: 'insert', row }],
        ...resourceFields(call, toTestClockResource(row)),
      } as const;
      return { change, result: row };
    });
  }

  /** @throws PaymountError `resource_missing`, also for a deleted one */
  async retrieve(call: Call, id: string): Promise<TestClock> {
    return findLiveClock(this.#ports.storage.read, ownerOf(call), id);
  }

  /** Newest first, without deleted ones. @throws PaymountError `invalid_cursor` */
  async list(
    call: Call,
    filter: { readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<TestClock>> {
    return this.#ports.storage.read.testClocks.list(ownerOf(call), filter, page);
  }

  /**
   * Sends a clock to a later time. A worker runs what is due until then, in order. A clock that
   * stopped at a failure tries again, also at the time that it shows.
   * @throws PaymountError `resource_missing`, `test_clock_advancing`, `test_clock_backwards`
   */
  async advance(call: Call, id: string, input: TestClockAdvance): Promise<TestClock> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const found = await this.retrieve(call, id);
      assertSteady({ clock: toObjectClock(found) });
      const shown = found.frozenTime.getTime();
      const leastMs = found.status === 'internal_failure' ? shown : shown + 1;
      if (input.frozen_time.getTime() < leastMs) {
        throw new PaymountError(
          'test_clock_backwards',
          `Test clock ${found.id} shows ${found.frozenTime.toISOString()}; send a later time.`,
          { param: 'frozen_time' },
        );
      }
      const row = advancing(found, input.frozen_time);
      const change = {
        ...ownerOf(call),
        at: clock.now(),
        writes: [{ kind: 'test_clock', mode: 'update', row }],
        ...resourceFields(call, toTestClockResource(row)),
      } as const;
      return { change, result: row };
    });
  }

  /**
   * Deletes a clock and its customers, also while it advances, and cancels its payouts that were not
   * sent. What happened on it stays.
   * @throws PaymountError `resource_missing`, also for a deleted one; `lock_timeout`; `hook_refused`,
   *   `hook_missing` for a payout
   */
  async delete(call: Call, id: string): Promise<TestClock> {
    const { deleteClock, clock, logger } = this.#ports;
    const found = await this.retrieve(call, id);
    const fields = resourceFields(call, toDeletedTestClockResource(found));
    try {
      return await deleteClock(found, clock.now(), fields);
    } catch (error) {
      if (!(error instanceof ObjectWorkError)) throw error;
      const { object, cause } = error;
      const consequence = `Test clock ${found.id} is not deleted.`;
      throw hookRefusal(cause, logger, { object, consequence, facts: { test_clock: found.id } });
    }
  }

  /**
   * Sets a clock that stopped at a failure, or waits for the hook or for an answer, to `ready`, at the
   * time that it shows. The work that failed is still due, and is tried again when the clock advances.
   * @throws PaymountError `resource_missing`, `status_transition_invalid`
   */
  async clear(call: Call, id: string): Promise<TestClock> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    const known = await this.retrieve(call, id);
    return storage.transaction(async (rows) => {
      const found = await rows.testClocks.findForUpdate(owner, known.id);
      if (found === undefined || !isStuck(found)) {
        const message = `Test clock ${known.id} is ${found?.status ?? known.status}; only one in internal_failure, or one that waits for the hook or for an answer, can be cleared.`;
        throw new PaymountError('status_transition_invalid', message);
      }
      const row = stopped(found);
      const at = clock.now();
      const audit: AuditEntry | undefined = call.audit && {
        ...call.audit,
        ...owner,
        action: 'test_clock.clear',
        target: found.id,
        before:
          found.status === 'internal_failure'
            ? { status: found.status, failure: found.failure }
            : { status: found.status },
        after: { status: row.status },
        created: at,
      };
      await applyIn(rows, {
        ...owner,
        at,
        writes: [{ kind: 'test_clock', mode: 'update', row }],
        ...resourceFields(call, toAdminTestClockResource(row)),
        ...(audit && { audit }),
      });
      return row;
    });
  }
}
