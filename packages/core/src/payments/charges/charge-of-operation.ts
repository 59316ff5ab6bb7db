import { type ChargeId, parseId } from '../../kernel/basics/id.ts';
import type { Operation } from '../operations/operation.ts';

/**
 * The charge whose row is locked to record the result of an operation.
 * @returns undefined for other operations
 */
export function chargeIdOf({ rootId }: Pick<Operation, 'rootId'>): ChargeId | undefined {
  return parseId('ch', rootId);
}
