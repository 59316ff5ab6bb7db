import type { EventType } from '../../changes/events/event-types.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  AttemptId,
  DeliveryId,
  EndpointId,
  EventId,
  ReplayId,
} from '../../kernel/basics/id.ts';

/** Finished deliveries and replays are deleted after this time. */
export const DELIVERIES_KEPT_DAYS = 30;

/**
 * Where sends to an endpoint wait: an endpoint that does not answer within 3 s gets few slots, apart
 * from all others, until it answers.
 */
export type EndpointLane = 'fast' | 'slow';

export const DELIVERY_STATES = [
  'pending',
  'succeeded',
  'failed',
  'parked',
  'canceled',
  'skipped',
] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The right to make one attempt; expires when its holder dies. */
export interface Lease {
  readonly token: string;
  /** Length from the moment of the claim, milliseconds: 20 s deadline + 5 s to record. */
  readonly lengthMs: number;
}

/** All data of one attempt, so that sending needs no further reads. */
export interface ClaimedDelivery extends Owner {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly endpointId: EndpointId;
  readonly url: string;
  readonly lane: EndpointLane;
  readonly secretVersion: number;
  /** Unexpired, newest first. */
  readonly secrets: readonly { readonly id: string; readonly sealed: string }[];
  /**
   * The event as it was recorded; the version of the endpoint determines the form in which it is
   * sent.
   */
  readonly body: string;
  /** Of the endpoint. */
  readonly apiVersion: string;
  readonly origin: 'event' | 'replay';
  /** Number of this attempt, 1-8. */
  readonly attempt: number;
  readonly dueAt: Date;
  readonly leaseToken: string;
  /** Set if a process died while it held the row: its attempt is logged as `unknown`. */
  readonly abandoned?: { readonly token: string; readonly leasedAt: Date };
}

export type AttemptOutcome = 'succeeded' | 'failed' | 'unknown' | 'superseded';

const ATTEMPT_ERRORS = [
  'timeout',
  'connection',
  'tls',
  'dns',
  'blocked_address',
  'redirect',
  'http_status',
  'invalid_response',
] as const;

export type AttemptErrorCode = (typeof ATTEMPT_ERRORS)[number];

/**
 * What `lastError` may say: `unsendable` if Paymount could not sign the delivery, `event_expunged` if
 * it was canceled because the data of its event were deleted.
 */
export const DELIVERY_ERRORS = [...ATTEMPT_ERRORS, 'unsendable', 'event_expunged'] as const;

export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** Classes of the status of an answer. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

export type StatusClass = (typeof STATUS_CLASSES)[number];

/** One HTTP call as it is logged for 30 days. */
export interface AttemptRecord extends Owner {
  readonly id: AttemptId;
  readonly deliveryId: DeliveryId;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly endpointId: EndpointId;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly errorCode?: AttemptErrorCode | undefined;
  readonly errorDetail?: string | undefined;
  readonly url: string;
  readonly remoteAddress?: string | undefined;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseStatus?: number | undefined;
  readonly responseHeaders?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly responseBody?: Uint8Array | undefined;
  readonly responseTruncated: boolean;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly dnsMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly tlsMs?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly reusedConnection: boolean;
  readonly redialed: boolean;
}

/** The result for the delivery when an attempt ends. */
export type Verdict =
  | { readonly next: 'succeeded' }
  /** Waits `waitMs` from the end of the attempt, in database time. */
  | { readonly next: 'retry'; readonly attempt: number; readonly waitMs: number }
  | { readonly next: 'failed' };

/** One event for one endpoint, as people see it. */
export interface Delivery extends Owner {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly endpointId: EndpointId;
  readonly origin: 'event' | 'replay';
  /** Present if a bulk replay made it. */
  readonly replayId?: ReplayId;
  readonly state: DeliveryState;
  /** Number of the next or the last attempt, 1-8. */
  readonly attempt: number;
  readonly dueAt: Date;
  /** An attempt is in progress, or its process died less than a lease ago. */
  readonly attempting: boolean;
  /** The result of the last attempt. */
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly created: Date;
  readonly finishedAt?: Date;
}

/** What is logged of one delivery. */
export interface DeliveryLog {
  /** Newest first, at most 100; the log keeps them for 30 days. */
  readonly attempts: readonly AttemptRecord[];
  /** The event as it was recorded; absent if it is not stored any more, or is expunged. */
  readonly body?: string;
  /** When the event was expunged, with what the attempts sent and received. */
  readonly expungedAt?: Date;
  /** Of the endpoint: it determines the form in which the body is sent. */
  readonly apiVersion: string;
}

/** A delivery with its log. */
export interface LoggedDelivery {
  readonly delivery: Delivery;
  readonly log: DeliveryLog;
}
