import { z } from 'zod';
import type { CreatedFilter } from '../input/page.ts';

/** ISO 8601 UTC with milliseconds, as every timestamp of the API. */
export const TimestampResource = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601 UTC with milliseconds.', example: '2026-11-21T09:30:00.000Z' });

export const MetadataResource = z.record(z.string(), z.string()).meta({ id: 'Metadata' });

const Bound = TimestampResource.nullable();

/** The bounds on `created` of a request, as its resource shows them. */
export const BoundsResource = z
  .strictObject({ gt: Bound, gte: Bound, lt: Bound, lte: Bound })
  .nullable()
  .meta({ description: 'The bounds that were sent as `created`.' });

/** @returns null if there are none */
export function toBoundsResource(
  filter: CreatedFilter | undefined,
): z.output<typeof BoundsResource> {
  if (filter === undefined) return null;
  const { gt, gte, lt, lte } = filter;
  return { gt: timestamp(gt), gte: timestamp(gte), lt: timestamp(lt), lte: timestamp(lte) };
}

/** @returns ISO 8601 UTC with milliseconds, or null */
export function timestamp(date: Date | undefined): string | null {
  return date === undefined ? null : date.toISOString();
}
