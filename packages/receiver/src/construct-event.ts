import { verify } from './verify.ts';
import type { WebhookEvent } from './webhook-event.ts';

/**
 * Verifies one delivery and gives its event, with the parameters of Stripe's `constructEvent`.
 * @param body the raw body, as bytes or text; nothing may have parsed it
 * @param signature the header `Service-Signature`
 * @param secret the endpoint's signing secret, or all that are in use during a rotation
 * @param toleranceSeconds how far the signature's time may be away. @defaultValue 300
 * @throws SignatureError whose message names cause and cure
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
