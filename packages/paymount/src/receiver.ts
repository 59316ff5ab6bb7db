// paymount/receiver: what a merchant's server needs to receive events and to call a mount.
// It loads node's own modules only: no database, no Redis, no Express.
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
  SecretOptions,
  SignatureErrorCode,
  Subscription,
  WebhookEvent,
  WebhookEventType,
} from '@paymount/signature';
export {
  onceById,
  postgresEventStore,
  receivedEventsTable,
  receiver,
  SignatureError,
  verify,
} from '@paymount/signature';
export {
  prefixedHttpClient,
  type SdkHttpClient,
  type SdkResponse,
} from './prefixed-http-client.ts';
