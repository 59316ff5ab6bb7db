// paymount-receiver: what a merchant's server needs to receive events and to call a mount.
// It runs inside servers of others, so it depends on node's own modules only, and it may not import
// another package. It knows bytes, secrets and time; it knows no queue, and of a database only the two
// functions of EventStore. `paymount/receiver` is the same.
// Start with receiver() for a whole address, or verify() for one request.
export { constructEvent } from './construct-event.ts';
export type { Charge, Dispute, Payout, Subscription } from './event-objects.generated.ts';
export { type EventStore, onceById } from './once-by-id.ts';
export {
  type PostgresClient,
  type PostgresPool,
  postgresEventStore,
  receivedEventsTable,
} from './postgres-event-store.ts';
export { prefixedHttpClient, type StripeHttpClient } from './prefixed-http-client.ts';
export type { DeliveryRequest } from './read-raw-body.ts';
export { type ReceiverHandler, type ReceiverOptions, receiver } from './receiver.ts';
export { SignatureError, type SignatureErrorCode } from './signature-error.ts';
export {
  type DeliveryHeaders,
  type DeliveryToVerify,
  type SecretOptions,
  verify,
} from './verify.ts';
export type { WebhookEvent, WebhookEventType } from './webhook-event.ts';
