import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { deletesAfter, TEST_CLOCK_STATUSES, type TestClock } from './test-clock.ts';

/** The name that the official SDKs know. */
const OBJECT = 'test_helpers.test_clock';

export const TestClockResource = z
  .strictObject({
    id: z.string(),
    object: z.literal(OBJECT),
    livemode: z.boolean(),
    created: TimestampResource.meta({ description: 'In the time that everybody shares.' }),
    deletes_after: TimestampResource.meta({
      description: 'When the clock and its customers are deleted.',
    }),
    frozen_time: TimestampResource.meta({
      description: 'The time of the clock; while it advances, how far it is.',
    }),
    name: z.string().nullable(),
    status: z.enum(TEST_CLOCK_STATUSES),
    status_details: z.strictObject({
      advancing: z
        .strictObject({
          target_frozen_time: TimestampResource.meta({
            description: 'Where an advancing clock will stop.',
          }),
          waits_for_hook_since: TimestampResource.optional().meta({
            description:
              'Since when it stands because the hook of the host refuses a result, or no running worker has the hook. It is tried every 10 seconds.',
          }),
          waits_for_answer_since: TimestampResource.optional().meta({
            description:
              'Since when the processor has not answered about something on it that was sent. It stands until the answer is known.',
          }),
        })
        .optional(),
      internal_failure: z
        .strictObject({ message: z.string() })
        .optional()
        .meta({ description: 'Why a clock stopped on its way.' }),
    }),
  })
  .meta({ id: 'TestClock' });

export const DeletedTestClockResource = z
  .strictObject({ id: z.string(), object: z.literal(OBJECT), deleted: z.literal(true) })
  .meta({ id: 'DeletedTestClock' });

export const AdminTestClockResource = TestClockResource.extend({ account: z.string() }).meta({
  id: 'AdminTestClock',
});

export type TestClockJson = z.output<typeof TestClockResource>;

/** Renders a clock that is not deleted. */
export function toTestClockResource(clock: TestClock): TestClockJson {
  return {
    id: clock.id,
    object: OBJECT,
    livemode: livemode(clock.environment),
    created: clock.created.toISOString(),
    deletes_after: deletesAfter(clock).toISOString(),
    frozen_time: clock.frozenTime.toISOString(),
    name: clock.name,
    status: clock.status,
    status_details: toDetails(clock),
  };
}

function toDetails(clock: TestClock): TestClockJson['status_details'] {
  switch (clock.status) {
    case 'ready':
      return {};
    case 'advancing': {
      const { targetTime, reviewSince, unansweredSince } = clock;
      const advancing = {
        target_frozen_time: targetTime.toISOString(),
        ...(reviewSince && { waits_for_hook_since: reviewSince.toISOString() }),
        ...(unansweredSince && { waits_for_answer_since: unansweredSince.toISOString() }),
      };
      return { advancing };
    }
    case 'internal_failure':
      return { internal_failure: { message: clock.failure } };
  }
}

/** What is left of a deleted clock. */
export function toDeletedTestClockResource({
  id,
}: Pick<TestClock, 'id'>): z.output<typeof DeletedTestClockResource> {
  return { id, object: OBJECT, deleted: true };
}

/** Renders a clock for admins. */
export function toAdminTestClockResource(
  clock: TestClock,
): z.output<typeof AdminTestClockResource> {
  return { ...toTestClockResource(clock), account: clock.accountId };
}
