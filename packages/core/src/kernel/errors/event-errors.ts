import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of type `invalid_request_error` about deliveries, and events that are sent again. */
export const EVENT_ERRORS = {
  delivery_not_pending: invalid(
    'The delivery is neither pending nor failed, its endpoint is disabled, or an attempt is in progress.',
    'Retrieve it and check its status. Enable a disabled endpoint first. A successful delivery is not sent again.',
    409,
  ),
  event_expunged: invalid(
    'The data of the event were deleted at the request of an admin, so it cannot be sent again.',
    'Retrieve the object of the event for its current state.',
    409,
  ),
  endpoint_disabled: invalid(
    'The endpoint is disabled and receives no deliveries.',
    'Enable it first: change it with `disabled=false`.',
    409,
  ),
  waiting_replays_limit_reached: invalid(
    'This endpoint already has 1,000 pending replayed deliveries.',
    'Find out why the endpoint does not accept them, and wait until some have ended. Or send another `endpoint`.',
    409,
  ),
  replay_finished: invalid(
    'The replay is canceled, or is completed and has no pending deliveries.',
    'There is nothing left to cancel.',
    409,
  ),
  open_replays_limit_reached: invalid(
    'The account already has 10 unfinished replays in this environment.',
    'Wait until one is completed, or cancel one.',
    409,
  ),
} as const satisfies Record<string, ErrorCodeFacts>;
