import type { Id } from '../../kernel/basics/id.ts';
import type { Operation } from './operation.ts';

/**
 * The id of the object whose row is locked to record the result of an operation: all that it changes
 * follows.
 */
export function rootOf({ rootId, subjectId }: Operation): Id<string> {
  return rootId ?? subjectId;
}
