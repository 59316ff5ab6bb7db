// paymount-receiver: what a merchant's server needs to receive events and to call a mount, for who
// does not install the server. The same as paymount/receiver; a test compares the two.
// It loads node's own modules only, and depends on the signature package alone.
// Start with receiver() for a whole address, or constructEvent() for one request.
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
