// paymount/receiver: what a merchant's server needs to receive events and to call a mount.
// It loads node's own modules only: no database, no Redis, no Express. Whoever does not install the
// server finds the same in the package paymount-receiver.
// Start with receiver() for a whole address, or verify() for one request.
export type {
  Charge,
  DeliveryHeaders,
  DeliveryRequest,
  DeliveryToVerify,
  Dispute,
  EventStore,
  Payout,
  PostgresClient,
  PostgresPool,
  ReceiverHandler,
  ReceiverOptions,
  SdkHttpClient,
  SdkResponse,
  SecretOptions,
  SignatureErrorCode,
  Subscription,
  WebhookEvent,
  WebhookEventType,
} from '@paymount/signature';
export {
  constructEvent,
  onceById,
  postgresEventStore,
  prefixedHttpClient,
  receivedEventsTable,
  receiver,
  SignatureError,
  verify,
} from '@paymount/signature';
