import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountId, Id, OperationId, StoredNoticeId } from '../../kernel/basics/id.ts';
import { lookupWaitMs, SCHEDULED_TRIES } from '../operations/lookup-schedule.ts';
import type { KeptNotice } from './unreadable-notice.ts';

/**
 * - `received`: stored, and being applied
 * - `waiting`: what it is about is not known yet, could not be changed, or waits for the hook; it is
 *   tried again
 * - `applied`: its change is committed
 * - `ignored`: it changes nothing: it was known already, is outdated, or a person dismissed it. A
 *   person may try it again
 * - `quarantined`: it contradicts what is recorded, cannot be read, or was tried too often: a person
 *   must look at it
 */
export const NOTICE_STATES = ['received', 'waiting', 'applied', 'ignored', 'quarantined'] as const;

export type NoticeState =
  | { readonly state: 'received' }
  /** `reason`: why the last try changed nothing. `reviewSince`: since when it waits for the hook. */
  | { readonly state: 'waiting'; readonly reason: string; readonly reviewSince?: Date }
  | { readonly state: 'applied' }
  | { readonly state: 'ignored'; readonly reason: string }
  | { readonly state: 'quarantined'; readonly reason: string; readonly reviewSince: Date };

interface StoredNoticeFacts {
  readonly id: StoredNoticeId;
  readonly environment: Environment;
  /** The name of the adapter that read it. */
  readonly processor: string;
  readonly notice: KeptNotice;
  /** The account of its operation; absent until that is found. */
  readonly accountId?: AccountId;
  /** The operation that it is about; absent until that is found. */
  readonly foundId?: OperationId;
  /** The object whose row is locked to apply it; absent until that is found. */
  readonly rootId?: Id<string>;
  /**
   * How often it was tried on its schedule without a change; one more than `SCHEDULED_TRIES` if the
   * schedule has ended.
   */
  readonly tries: number;
  /** When it is tried next, by the database's time; absent in a final state. */
  readonly nextTryAt?: Date;
  readonly created: Date;
}

/** As for results of operations that wait for the hook. */
const HOOK_RETRY_MS = 10_000;
const LOCK_RETRY_MS = 10_000;
/** How long failures by locks are not counted. */
const LOCKED_MS = 60 * 60_000;

/** A notice as it is kept, with its state. */
export type StoredNotice = StoredNoticeFacts & NoticeState;

/** A stored notice after a try. `waitMs`: until the next try; absent in a final state. */
export interface TriedNotice {
  readonly stored: StoredNotice;
  readonly waitMs?: number;
}

/** Whether it is still tried without a person. */
export function isOpenNotice({ state }: Pick<StoredNotice, 'state'>): boolean {
  return state === 'received' || state === 'waiting';
}

/** It changed what it is about. */
export function appliedNotice(stored: StoredNotice): TriedNotice {
  return { stored: { ...toFacts(stored), state: 'applied' } };
}

/** It changes nothing. */
export function ignoredNotice(stored: StoredNotice, reason: string): TriedNotice {
  return { stored: { ...toFacts(stored), state: 'ignored', reason } };
}

/** A person must look at it. */
export function quarantinedNotice(stored: StoredNotice, reason: string, at: Date): TriedNotice {
  return { stored: { ...toFacts(stored), state: 'quarantined', reason, reviewSince: at } };
}

/** It is tried again on the resolver's schedule; after that, a person must look at it. */
export function postponedNotice(stored: StoredNotice, reason: string, at: Date): TriedNotice {
  const waitMs = lookupWaitMs(stored.tries);
  const tries = Math.min(stored.tries, SCHEDULED_TRIES) + 1;
  if (waitMs === undefined) return quarantinedNotice({ ...stored, tries }, reason, at);
  const facts = { ...toFacts(stored), tries };
  return { stored: { ...facts, state: 'waiting', reason }, waitMs };
}

/**
 * A lock or a statement took too long. For an hour after the notice was stored its schedule stays where it
 * is, because the notice itself is in order. After that it is on its schedule, as after other failures, so
 * that a person sees one that never succeeds.
 */
export function lockedNotice(stored: StoredNotice, reason: string, at: Date): TriedNotice {
  if (at.getTime() - stored.created.getTime() > LOCKED_MS) {
    return postponedNotice(stored, reason, at);
  }
  const reviewSince = 'reviewSince' in stored ? stored.reviewSince : undefined;
  const waits = { ...toFacts(stored), state: 'waiting', reason } as const;
  return {
    stored: reviewSince === undefined ? waits : { ...waits, reviewSince },
    waitMs: LOCK_RETRY_MS,
  };
}

/**
 * The hook refused it, or the process has no hook: its schedule stays where it is, because the
 * notice itself is in order.
 */
export function refusedNotice(stored: StoredNotice, reason: string, at: Date): TriedNotice {
  const reviewSince = ('reviewSince' in stored ? stored.reviewSince : undefined) ?? at;
  return {
    stored: { ...toFacts(stored), state: 'waiting', reason, reviewSince },
    waitMs: HOOK_RETRY_MS,
  };
}

function toFacts(stored: StoredNotice): StoredNoticeFacts {
  const { id, environment, processor, notice, tries, created } = stored;
  const { accountId, foundId, rootId } = stored;
  return {
    id,
    environment,
    processor,
    notice,
    tries,
    created,
    ...(accountId === undefined ? {} : { accountId }),
    ...(foundId === undefined ? {} : { foundId }),
    ...(rootId === undefined ? {} : { rootId }),
  };
}
