import type { Operation } from './operation.ts';

/** The id of the object whose row is locked to settle an operation: all that it changes follows. */
export function rootOf({ chargeId, subjectId }: Operation): string {
  return chargeId ?? subjectId;
}
