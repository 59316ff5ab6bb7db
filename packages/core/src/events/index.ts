// Notifications about payments: endpoints, deliveries, replays, and the feed of events.
// It imports the kernel and payments. Start at `deliveries/delivery-service.ts`.
export {
  EVENT_CATALOGUE,
  EVENT_FAMILIES,
  transitionsThatRecord,
} from './catalogue/event-catalogue.ts';
export { ATTEMPT_WAITS_SECONDS, MAX_ATTEMPTS, waitBefore } from './deliveries/attempt-schedule.ts';
export { attemptVerdict } from './deliveries/attempt-verdict.ts';
export type { Delivery, DeliveryLog, LoggedDelivery } from './deliveries/delivery.ts';
export {
  type AttemptErrorCode,
  type AttemptOutcome,
  type AttemptRecord,
  type ClaimedDelivery,
  DELIVERIES_KEPT_DAYS,
  DELIVERY_ERRORS,
  DELIVERY_STATES,
  type DeliveryError,
  type DeliveryState,
  type EndpointLane,
  type Lease,
  STATUS_CLASSES,
  type StatusClass,
  type Verdict,
} from './deliveries/delivery.ts';
export type {
  AttemptCount,
  CountFilter,
  CountInterval,
  DeliveryCounts,
} from './deliveries/delivery-counts.ts';
export { COUNT_INTERVALS, COUNTS_KEPT_MS, toCountFilter } from './deliveries/delivery-counts.ts';
export { EventReplayInput } from './deliveries/delivery-input.ts';
export type { DeliveryNotifier } from './deliveries/delivery-notifier.ts';
export type {
  ClaimById,
  ClaimDue,
  ClaimedBatch,
  CloseAttempt,
  ClosedAttempt,
  DecideOnFailing,
  DeliveryDirectory,
  DeliveryFilter,
  DeliveryQueue,
  DeliveryReader,
  LockedDelivery,
  LockHolder,
  NamedBatch,
  OverdueMs,
  WaitingAttempt,
} from './deliveries/delivery-repository.ts';
export {
  AdminDeliveryResource,
  DeliveryResource,
  type ShownLog,
  toAdminDeliveryResource,
  toDeliveryAttemptResource,
  toDeliveryResource,
} from './deliveries/delivery-resource.ts';
export type { DeliveryService } from './deliveries/delivery-service.ts';
export {
  AdminDeliverySummaryResource,
  DeliverySummaryResource,
  toAdminDeliverySummaryResource,
  toDeliverySummaryResource,
} from './deliveries/delivery-summary-resource.ts';
export { newDelivery } from './deliveries/destination.ts';
export { type Dispatch, DispatchHub, type NewDelivery } from './deliveries/dispatch.ts';
export { EventReplayService, type ShowDeliveries } from './deliveries/event-replay-service.ts';
export { redactReceived } from './deliveries/redact-received.ts';
export type { RetryQueue, WakeUp } from './deliveries/retry-queue.ts';
export { decideOnFailing, type FailingVerdict, warningKey } from './endpoints/decide-on-failing.ts';
export {
  type EndEndpointsPorts,
  endEndpoints,
  sweepEndedAccess,
} from './endpoints/end-endpoints.ts';
export type { EndedEndpoints, EndedSubject } from './endpoints/ended-access.ts';
export type { Endpoint, EndpointSecret, EndpointSecretFacts } from './endpoints/endpoint.ts';
export {
  EndpointCreateInput,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
} from './endpoints/endpoint-input.ts';
export type {
  EndedAccessCursor,
  EndedAccessQueue,
  EndpointDirectory,
  EndpointRepository,
  EndpointSecretReader,
} from './endpoints/endpoint-repository.ts';
export {
  AdminEndpointResource,
  type EndpointJson,
  EndpointResource,
  toAdminEndpointResource,
  toEndpointResource,
} from './endpoints/endpoint-resource.ts';
export { EndpointService, type ValidateUrl } from './endpoints/endpoint-service.ts';
export { type FailingEndpoint, WARN_AFTER_MS } from './endpoints/failing-endpoint.ts';
export { revealSecrets, SigningSecretsResource } from './endpoints/reveal-secrets.ts';
export { type RotatedSecrets, rotateSecrets } from './endpoints/rotate-secrets.ts';
export { secretContext } from './endpoints/seal-secret.ts';
export type { EventFeed } from './feed/event-feed.ts';
export { type AdvanceReplaysPorts, advanceReplays } from './replays/advance-replays.ts';
export {
  MAX_LOOKED_THROUGH,
  MAX_OPEN_REPLAYS,
  MAX_UNFINISHED_PER_ENDPOINT,
  type OpenTarget,
  PAST_LAST,
  REPLAY_STATUSES,
  type Replay,
  type ReplayProgress,
  type ReplayTarget,
  STEP_MS,
} from './replays/replay.ts';
export { ReplayCreateInput } from './replays/replay-input.ts';
export type {
  CanceledDeliveries,
  ChosenEvents,
  CreatedDelivery,
  ReplayDirectory,
  ReplayFilter,
  ReplayQueue,
  ReplayReader,
  ReplayRepository,
  ReplayStepRepository,
  ReplayWindow,
} from './replays/replay-repository.ts';
export {
  AdminReplayResource,
  ReplayResource,
  toAdminReplayResource,
  toReplayResource,
} from './replays/replay-resource.ts';
export { ReplayService } from './replays/replay-service.ts';
export { type WebhookServices, webhookServices } from './webhook-services.ts';
