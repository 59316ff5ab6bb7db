import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountLocks } from '../operations/locked-accounts.ts';
import type { Operation } from '../operations/operation.ts';
import type { CallResult } from '../operations/outcome.ts';
import type { NoticeKind, NoticeOf } from '../processor/notice.ts';
import type { NoticeChange, NoticeRepositories } from './notice-storage.ts';

/**
 * What a notice changes:
 *
 * - `applied`: this change, which is committed with the notice's state
 * - `already`: the object is in that state, or nothing here depends on it; nothing is written
 * - `early`: the object is not ready for it, because an earlier notice or answer has not come yet;
 *   it is tried again on the schedule, and then shown to a person with the reason
 * - `contradiction`: it disagrees with what is recorded; a person must look at it
 */
export type NoticeDecision =
  | { readonly decision: 'applied'; readonly change: NoticeChange }
  | { readonly decision: 'already'; readonly reason?: string }
  | { readonly decision: 'early'; readonly reason: string }
  | { readonly decision: 'contradiction'; readonly reason: string };

type Decided<Decision extends NoticeDecision['decision']> = Extract<
  NoticeDecision,
  { readonly decision: Decision }
>;

/** Why a notice changes nothing after something later. */
export const OUTDATED = 'A notice about something later was applied before it.';

/** The object is in that state. @param reason absent if that says all */
export function already(reason?: string): Decided<'already'> {
  return { decision: 'already', ...(reason === undefined ? {} : { reason }) };
}

/** The object is not ready for the notice. */
export function early(reason: string): Decided<'early'> {
  return { decision: 'early', reason };
}

/** A person must look at the notice. */
export function contradiction(reason: string): Decided<'contradiction'> {
  return { decision: 'contradiction', reason };
}

/** An operation that a notice is about. */
export interface NoticedOperation {
  readonly operation: Operation;
  readonly rows: NoticeRepositories;
  readonly at: Date;
}

/** Records what a notice says as the result of an operation, as an answer to its call would be. */
export async function recordNoticed(
  { operation, rows, at }: NoticedOperation,
  result: CallResult,
): Promise<NoticeDecision> {
  const subject = await rows.load(operation);
  return { decision: 'applied', change: subject.conclude(operation, result, at) };
}

/**
 * Decides what a notice about an operation changes. It is called in the transaction of its change,
 * which has locked the charge or payout of the operation, and it writes nothing itself.
 * @param operation read under that lock
 */
export type NoticeApplier<Kind extends NoticeKind> = (
  notice: NoticeOf<Kind>,
  operation: Operation,
  rows: NoticeRepositories,
  at: Date,
) => Promise<NoticeDecision>;

/** What a notice that belongs to no operation changes; its objects may have several owners. */
export type DirectDecision =
  | { readonly decision: 'applied'; readonly changes: readonly NoticeChange[] }
  | Exclude<NoticeDecision, { readonly decision: 'applied' }>;

/** Decides what a notice that belongs to no operation changes, in the transaction of its changes. */
export type DirectNoticeApplier<Kind extends NoticeKind> = (
  notice: NoticeOf<Kind>,
  from: {
    readonly environment: Environment;
    readonly processor: string;
    readonly locks: AccountLocks;
  },
  rows: NoticeRepositories,
  at: Date,
) => Promise<DirectDecision>;

/** Kinds that belong to no operation. */
export const DIRECT_NOTICE_KINDS = ['account_update', 'settlement_line'] as const;
export type DirectNoticeKind = (typeof DIRECT_NOTICE_KINDS)[number];
export type OperationNoticeKind = Exclude<NoticeKind, DirectNoticeKind>;

/** The applier of each kind. A notice of a kind without one is kept, and shown to a person. */
export interface NoticeAppliers {
  readonly ofOperations: { readonly [Kind in OperationNoticeKind]?: NoticeApplier<Kind> };
  readonly direct: { readonly [Kind in DirectNoticeKind]?: DirectNoticeApplier<Kind> };
}
