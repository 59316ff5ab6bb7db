import { type DeliveryLog, type ShownLog, toDeliveryAttemptResource } from '@paymount/core/events';
import { toSentBody } from '@paymount/core/stripe-form';
import { mapInSlices } from '../slices.ts';

/** The log of a delivery, with the body in the form in which its endpoint gets it. */
export async function toShownLog({
  attempts,
  body,
  expungedAt,
  apiVersion,
}: DeliveryLog): Promise<ShownLog> {
  return {
    attempts: await mapInSlices(attempts, toDeliveryAttemptResource),
    ...(body !== undefined && { sentBody: toSentBody({ body, apiVersion }) }),
    ...(expungedAt && { expungedAt }),
  };
}
