import { z } from 'zod';
import { type Environment, livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import {
  type AttemptCount,
  COUNT_INTERVALS,
  type CountFilter,
  type DeliveryCounts,
  INTERVAL_MS,
} from './delivery-counts.ts';

/** An account has few endpoints at a time; it may have deleted many. */
const MAX_ENDPOINTS = 100;

const counts = {
  attempts: z.strictObject({
    total: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    unknown: z.int().meta({ description: 'The process died during the attempt.' }),
    superseded: z
      .int()
      .meta({ description: 'Another result of the same attempt was recorded first.' }),
  }),
  status_classes: z
    .record(z.string(), z.int())
    .meta({ description: 'Attempts by class of the status they got, such as `5xx`.' }),
  errors: z.record(z.string(), z.int()).meta({
    description: 'Attempts by error, such as `timeout`; those without one are not in it.',
  }),
  deliveries: z
    .strictObject({ succeeded: z.int(), failed: z.int() })
    .meta({ description: 'Deliveries that these attempts ended.' }),
  average_duration_ms: z
    .int()
    .nullable()
    .meta({ description: 'Of the attempts whose process did not die; null if there are none.' }),
} as const;

const DeliveryCountsResource = z.strictObject(counts).meta({ id: 'DeliveryCounts' });

const EndpointCountsResource = z
  .strictObject({ endpoint: z.string(), ...counts })
  .meta({ id: 'EndpointDeliveryCounts' });

const IntervalCountsResource = z
  .strictObject({ starts_at: TimestampResource, ...counts })
  .meta({ id: 'IntervalDeliveryCounts' });

/** The summary of the deliveries that an admin sees. */
export const AdminDeliverySummaryResource = z
  .strictObject({
    object: z.literal('delivery_summary'),
    interval: z.enum(COUNT_INTERVALS),
    from: TimestampResource,
    /** When the last interval ends. */
    to: TimestampResource,
    counted_at: TimestampResource.nullable().meta({
      description: 'When attempts were last counted; null if never.',
    }),
    total: DeliveryCountsResource,
    endpoints: z.array(EndpointCountsResource).meta({
      description: `The ${MAX_ENDPOINTS} endpoints with the most failed attempts in this time, deleted ones too; those with the same number by id.`,
    }),
    intervals: z
      .array(IntervalCountsResource)
      .meta({ description: 'One entry for each hour or day, oldest first.' }),
  })
  .meta({ id: 'DeliverySummary' });

/** The summary of the deliveries of one account and environment. */
export const DeliverySummaryResource = AdminDeliverySummaryResource.extend({
  livemode: z.boolean(),
}).meta({ id: 'DeliverySummary' });

/** What a summary is made from. */
export interface DeliverySummary {
  readonly period: Pick<CountFilter, 'interval' | 'from' | 'to'>;
  readonly counts: DeliveryCounts;
}

/** The JSON of the summary of one account and environment. */
export function toDeliverySummaryResource(
  summary: DeliverySummary,
  environment: Environment,
): z.output<typeof DeliverySummaryResource> {
  return { ...toAdminDeliverySummaryResource(summary), livemode: livemode(environment) };
}

/** The JSON of a summary: intervals without attempts are in it, with zeros. */
export function toAdminDeliverySummaryResource({
  period: { interval, from, to },
  counts: { byInterval, byEndpoint, countedAt },
}: DeliverySummary): z.output<typeof AdminDeliverySummaryResource> {
  const lengthMs = INTERVAL_MS[interval];
  const starts = Array.from(
    { length: (to.getTime() - from.getTime()) / lengthMs },
    (_, index) => from.getTime() + index * lengthMs,
  );
  const ofInterval = grouped(byInterval, ({ startsAt }) => startsAt.getTime());
  const ofEndpoint = [...grouped(byEndpoint, ({ endpointId }) => endpointId)];
  return {
    object: 'delivery_summary',
    interval,
    from: from.toISOString(),
    to: to.toISOString(),
    counted_at: timestamp(countedAt),
    total: toCounts(byInterval),
    endpoints: ofEndpoint
      .map(([endpoint, of]) => ({ endpoint, ...toCounts(of) }))
      .toSorted(
        (a, b) => b.attempts.failed - a.attempts.failed || (a.endpoint < b.endpoint ? -1 : 1),
      )
      .slice(0, MAX_ENDPOINTS),
    intervals: starts.map((ms) => ({
      starts_at: new Date(ms).toISOString(),
      ...toCounts(ofInterval.get(ms) ?? []),
    })),
  };
}

function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function toCounts(of: readonly AttemptCount[]): z.output<typeof DeliveryCountsResource> {
  const attemptsOf = (outcome: AttemptCount['outcome']): number =>
    sum(of.filter((each) => each.outcome === outcome).map(({ attempts }) => attempts));
  const endedBy = (outcome: AttemptCount['outcome']): number =>
    sum(of.filter((each) => each.outcome === outcome).map(({ ended }) => ended));
  const timed = of.filter(({ outcome }) => outcome !== 'unknown');
  const timedAttempts = sum(timed.map(({ attempts }) => attempts));
  const durationMs = sum(timed.map((each) => each.durationMs));
  return {
    attempts: {
      total: sum(of.map(({ attempts }) => attempts)),
      succeeded: attemptsOf('succeeded'),
      failed: attemptsOf('failed'),
      unknown: attemptsOf('unknown'),
      superseded: attemptsOf('superseded'),
    },
    status_classes: attemptsBy(of, ({ statusClass }) => statusClass && `${statusClass}xx`),
    errors: attemptsBy(of, ({ error }) => error),
    deliveries: { succeeded: endedBy('succeeded'), failed: endedBy('failed') },
    average_duration_ms: timedAttempts === 0 ? null : Math.round(durationMs / timedAttempts),
  };
}

/** Attempts by name, in the order of names; those without one are left out. */
function attemptsBy(
  of: readonly AttemptCount[],
  nameOf: (count: AttemptCount) => string | number | undefined,
): Record<string, number> {
  const result: Record<string, number> = {};
  const named = of.flatMap((count) => {
    const name = nameOf(count);
    return name === undefined ? [] : [{ name: String(name), attempts: count.attempts }];
  });
  for (const { name, attempts } of named.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    result[name] = (result[name] ?? 0) + attempts;
  }
  return result;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
