// paymount-receiver/internal: what the other packages of Paymount share with receivers, so that one
// code signs and verifies. It may change in any version; receivers need none of it.
// Start with sign-delivery.ts (the bytes), of which verify.ts is the reverse.
export { readRawBody } from './read-raw-body.ts';
export { createSigningSecret, isSigningSecret } from './secret.ts';
export { type DeliveryToSign, type SignatureHeaders, signDelivery } from './sign-delivery.ts';
