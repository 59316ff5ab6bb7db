import { createHmac } from 'node:crypto';
import { decodeSigningSecret } from './secret.ts';

/** What one attempt is signed from. */
export interface DeliveryToSign {
  /** The exact bytes that are sent; a string stands for its UTF-8 bytes. */
  readonly body: Buffer | string;
  /** The event's id, the same on every attempt. */
  readonly eventId: string;
  /** Every unexpired secret of the endpoint, newest first; one, or more during a rotation. */
  readonly secrets: readonly string[];
  /** Unix seconds of this attempt. */
  readonly timestampSeconds: number;
}

/** The four headers that prove a delivery to receivers. */
export interface SignatureHeaders {
  readonly 'Service-Signature': string;
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs one delivery attempt (specification: Events, Signature; Standard Webhooks).
 * Both signatures are HMAC-SHA256. No spaces and lower-case hex: `stripe` rejects anything else.
 * @returns the headers; both signature headers carry one signature per secret, in the given order
 */
export function signDelivery(delivery: DeliveryToSign): SignatureHeaders {
  const { body, eventId, secrets } = delivery;
  const timestamp = String(delivery.timestampSeconds);
  let service = `t=${timestamp}`;
  let webhook = '';
  for (const secret of secrets) {
    service += `,v1=${hmac(secret, `${timestamp}.`, body).toString('hex')}`;
    const signature = hmac(decodeSigningSecret(secret), `${eventId}.${timestamp}.`, body);
    webhook += `${webhook === '' ? '' : ' '}v1,${signature.toString('base64')}`;
  }
  return {
    'Service-Signature': service,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': webhook,
  };
}

/** HMAC-SHA256 of the prefix and the body, hashed in turn so that the body is never copied. */
export function hmac(key: Buffer | string, prefix: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest();
}
