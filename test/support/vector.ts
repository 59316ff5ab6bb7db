import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** One delivery that a receiver must accept or refuse. */
export interface SignatureCase {
  readonly name: string;
  readonly valid: boolean;
  readonly body: string;
  readonly secrets: readonly string[];
  /** Unix seconds. */
  readonly now: number;
  /** The value of `Service-Signature`; absent where the headers of Standard Webhooks are verified. */
  readonly header?: string;
  readonly id?: string;
  readonly timestamp?: string;
  readonly signature?: string;
}

interface SignatureVectors {
  readonly timestamp: number;
  readonly event_id: string;
  readonly body: string;
  readonly secrets: Digests;
  readonly digests: { readonly service_signature: Digests; readonly webhook_signature: Digests };
  readonly service_signature: readonly SignatureCase[];
  readonly webhook_signature: readonly SignatureCase[];
}

interface Digests {
  readonly a: string;
  readonly b: string;
}

/** The published test vectors, which other languages read too. */
export const vectors: SignatureVectors = JSON.parse(
  readFileSync(new URL('../../docs/reference/signature-vectors.json', import.meta.url), 'utf8'),
);

/** Their two secrets, one body and its digests. */
export const vector = {
  timestampSeconds: vectors.timestamp,
  eventId: vectors.event_id,
  body: vectors.body,
  secretA: vectors.secrets.a,
  secretB: vectors.secrets.b,
  serviceA: vectors.digests.service_signature.a,
  webhookA: vectors.digests.webhook_signature.a,
  serviceB: vectors.digests.service_signature.b,
} as const;

/** The header of the vector's body under secret A. */
export const headerA = `t=${vector.timestampSeconds},v1=${vector.serviceA}`;

/** The vector's moment, shifted by some seconds. */
export function at(offsetSeconds = 0): Date {
  return new Date((vector.timestampSeconds + offsetSeconds) * 1000);
}

/** Signs as the specification says, written apart from the product's own code. */
export function sign(body: Buffer | string, timestamp: number, secret: string): string {
  const text = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)]);
  return `t=${timestamp},v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
