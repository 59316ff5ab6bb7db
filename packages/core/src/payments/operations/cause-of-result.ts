import { BY_TIME, causeOf, type EventCause } from '../../changes/events/event-cause.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Operation } from './operation.ts';

/**
 * What caused the result of an operation: the request that made its object, or time, if Paymount made it because it
 * was due. Nobody sent the request id that such an operation has.
 */
export function causeOfResult(
  { createdBy }: { readonly createdBy?: Maker },
  operation: Pick<Operation, 'requestId'>,
): EventCause {
  return createdBy?.type === 'system' ? BY_TIME : causeOf(operation);
}
