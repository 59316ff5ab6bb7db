import { verify } from './verify.ts';
import type { WebhookEvent } from './webhook-event.ts';

/**
 * Verifies one delivery and returns its event, with the parameters of Stripe's `constructEvent`.
 * @param body the raw body, as bytes or text; nothing may have parsed it
 * @param signature the header `Service-Signature`
 * @param secret the endpoint's signing secret, or all that are in use during a rotation
 * @param toleranceSeconds the maximum difference of the signature's time. @defaultValue 300
 * @throws SignatureError whose message says what is wrong and what to do
 */
export function constructEvent(
  body: string | Uint8Array,
  signature: string | readonly string[] | undefined,
  secret: string | readonly string[],
  toleranceSeconds?: number,
): WebhookEvent {
  return verify({
    body,
    headers: { 'service-signature': signature },
    ...(typeof secret === 'string' ? { secret } : { secrets: secret }),
    ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
  });
}
