import { createHmac } from 'node:crypto';

/** The published test vector of the signature: two secrets, one body, their digests. */
export const vector = {
  timestampSeconds: 1795253405,
  eventId: 'evt_01k8w3f0g0e5ht3nq2v7yb6c9d',
  body: '{"id":"evt_01k8w3f0g0e5ht3nq2v7yb6c9d","object":"event","type":"charge.succeeded","api_version":"2026-11-01","created":"2026-11-21T09:30:00.000Z","livemode":false,"data":{"object":{"id":"ch_01k8w3f0fze5ht3nq2v7yb6c9d","object":"charge","amount":4200,"currency":"eur","status":"succeeded","metadata":{"note":"café 😀"}}}}',
  secretA: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  secretB: 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=',
  serviceA: 'bc7f16c78945270d44585a5ef36732e77bd09a063732c0800bd4e2499091d6b2',
  webhookA: 'CRLWLGFTPEVbD5F3s+Uzg+PT6H1KhtHdocqA9ElYiXc=',
  serviceB: '1950ab45086c63ad70222080db94036259afaaba0b79ba69505952206a082bcc',
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
