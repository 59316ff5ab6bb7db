import { z } from 'zod';

/** ISO 8601 UTC with milliseconds, as every timestamp of the API. */
export const TimestampResource = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601 UTC with milliseconds.', example: '2026-11-21T09:30:00.000Z' });

export const MetadataResource = z.record(z.string(), z.string()).meta({ id: 'Metadata' });

/** @returns ISO 8601 UTC with milliseconds, or null */
export function timestamp(date: Date | undefined): string | null {
  return date === undefined ? null : date.toISOString();
}
