import type { DeliveryLog, ShownLog } from '@paymount/core/events';
import { toSentBody } from '@paymount/core/stripe-form';

/** The log of a delivery, with the body in the form in which its endpoint gets it. */
export function toShownLog({ attempts, body, expungedAt, apiVersion }: DeliveryLog): ShownLog {
  return {
    attempts,
    ...(body !== undefined && { sentBody: toSentBody({ body, apiVersion }) }),
    ...(expungedAt && { expungedAt }),
  };
}
