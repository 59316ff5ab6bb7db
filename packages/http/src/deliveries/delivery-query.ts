import { EventTypeInput } from '@paymount/core/changes';
import {
  DELIVERY_ERRORS,
  DELIVERY_STATES,
  type DeliveryFilter,
  STATUS_CLASSES,
} from '@paymount/core/events';
import { type EventId, PaymountError } from '@paymount/core/kernel';
import { z } from 'zod';
import { CreatedInput, idIn } from '../lists.ts';

const Id = z.string().max(255).optional();

/** The filters of every list of deliveries. */
export const DELIVERY_FILTERS = {
  status: z.enum(DELIVERY_STATES).optional(),
  endpoint: Id.meta({ description: 'Only deliveries to this webhook endpoint.' }),
  event: Id.meta({ description: 'Only deliveries of this event.' }),
  object_id: Id.meta({ description: 'Only deliveries of events about this object.' }),
  replay: Id.meta({ description: 'Only deliveries of this replay.' }),
  type: EventTypeInput.optional(),
  status_class: z
    .enum(STATUS_CLASSES)
    .optional()
    .meta({ description: 'The class of the status that the last attempt got.' }),
  error: z
    .enum(DELIVERY_ERRORS)
    .optional()
    .meta({
      description:
        'Why the last attempt failed; `unsendable`: the delivery ended because it could not be signed; ' +
        '`event_expunged`: it was canceled because the data of its event were deleted.',
    }),
  created: CreatedInput,
} as const;

const Query = z.object(DELIVERY_FILTERS);

/** People who look for an event may send its type in the filter by its id. */
function eventIn(text: string): EventId {
  if (!EventTypeInput.safeParse(text).success) return idIn('evt', text, 'event');
  const message = `event is the id of an event; to filter by its type, send type=${text}.`;
  throw new PaymountError('parameter_invalid', message, { param: 'event' });
}

/** @throws PaymountError 400 `parameter_invalid` for an id of another kind of object */
export function toDeliveryFilter(query: z.output<typeof Query>): DeliveryFilter {
  const { status, endpoint, event, object_id: objectId, replay, type, error, created } = query;
  const { status_class: statusClass } = query;
  return {
    ...(status && { status }),
    ...(endpoint === undefined ? {} : { endpoint: idIn('we', endpoint, 'endpoint') }),
    ...(event === undefined ? {} : { event: eventIn(event) }),
    ...(replay === undefined ? {} : { replay: idIn('rpl', replay, 'replay') }),
    ...(objectId === undefined ? {} : { objectId }),
    ...(type && { type }),
    ...(statusClass && { statusClass }),
    ...(error && { error }),
    ...(created && { created }),
  };
}
