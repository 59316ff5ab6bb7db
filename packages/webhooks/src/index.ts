// The delivery engine: it sends committed deliveries to their endpoints, reliably and in bounded
// time. It decides nothing about money and stores nothing itself: PostgreSQL, behind the port
// `DeliveryQueue`, has all data, and Redis only wakes workers. Only this package may open a
// connection to an address that a user gave, and only through `egress/delivery-client.ts`. Start at
// `worker.ts`, then `claims/sender.ts`; one HTTP call: `egress/delivery-client.ts`.
export type { LockedEndpoint } from './attempts/held-results.ts';
export {
  createDeliveryClient,
  DELIVERY_DEADLINE_MS,
  type DeliveryClient,
  type DeliveryClientOptions,
  HEADERS_SLOW_AFTER_MS,
} from './egress/delivery-client.ts';
export { checkProxy, isProxyUrl, type ProxyVerdict } from './egress/proxy-route.ts';
export {
  createUrlValidator,
  type UrlRuleOptions,
  type UrlVerdict,
} from './egress/registration-rules.ts';
export { createLookUp, type LookUp } from './egress/resolver.ts';
export type { SendResult } from './egress/send-result.ts';
export { LANES } from './lanes/lane.ts';
export { installed } from './retries/installed.ts';
export type { RedisClient } from './retries/redis-client.ts';
export { QUEUE_NAME, queuePrefix } from './retries/redis-client.ts';
export {
  announceThrough,
  createRetryQueue,
  requireBullmq,
} from './retries/retry-queue.ts';
export { startWorker, type Worker, type WorkerOptions, type WorkerStatus } from './worker.ts';
