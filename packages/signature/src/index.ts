// @paymount/signature: signs deliveries for the sender and verifies them for receivers.
// It runs inside merchants' servers, so it depends on node's own modules only, and it may not
// import another package. It knows bytes, secrets and time; it knows no queue and no database
// beyond the two functions of EventStore.
// Start with sign-delivery.ts (the bytes), then verify.ts (the same in reverse) and receiver.ts.

export {
  checkSignature,
  DEFAULT_TOLERANCE_SECONDS,
  type SignatureToCheck,
  type SignatureVerdict,
} from './check-signature.ts';
export { constructEvent } from './construct-event.ts';
export type { Charge, Dispute, Payout, Subscription } from './event-objects.generated.ts';
export { type EventStore, onceById } from './once-by-id.ts';
export {
  type PostgresClient,
  type PostgresPool,
  postgresEventStore,
  receivedEventsTable,
} from './postgres-event-store.ts';
export {
  prefixedHttpClient,
  type SdkHttpClient,
  type SdkResponse,
} from './prefixed-http-client.ts';
export { type DeliveryRequest, type RawBody, readRawBody } from './read-raw-body.ts';
export { type ReceiverHandler, type ReceiverOptions, receiver } from './receiver.ts';
export { createSigningSecret, isSigningSecret } from './secret.ts';
export { type DeliveryToSign, type SignatureHeaders, signDelivery } from './sign-delivery.ts';
export {
  SIGNATURE_ERROR_MEANINGS,
  SignatureError,
  type SignatureErrorCode,
} from './signature-error.ts';
export {
  type DeliveryHeaders,
  type DeliveryToVerify,
  type SecretOptions,
  verify,
} from './verify.ts';
export type { WebhookEvent, WebhookEventType } from './webhook-event.ts';
