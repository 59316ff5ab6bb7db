import type { AccountLocks } from '../operations/locked-accounts.ts';
import type { Operation } from '../operations/operation.ts';
import { writtenOperation } from '../operations/operation-change.ts';
import { rootOf } from '../operations/operation-root.ts';
import { isUnresolved, withReference } from '../operations/operation-states.ts';
import type { Notice, NoticeOf } from '../processor/notice.ts';
import { OPERATION_KINDS, type OperationKind } from '../processor/processor.ts';
import {
  already,
  contradiction,
  DIRECT_NOTICE_KINDS,
  type DirectDecision,
  type DirectNoticeKind,
  early,
  type NoticeAppliers,
  type NoticeDecision,
  type OperationNoticeKind,
  OUTDATED,
} from './notice-applier.ts';
import type { NoticeChange, NoticeRepositories } from './notice-storage.ts';
import {
  appliedNotice,
  ignoredNotice,
  postponedNotice,
  quarantinedNotice,
  type StoredNotice,
  type TriedNotice,
} from './stored-notice.ts';
import { READ_LATER, type UnreadableNotice, unreadableReason } from './unreadable-notice.ts';

/** The operations that a kind of notice may be about. */
const KINDS: Readonly<Record<OperationNoticeKind, readonly OperationKind[]>> = {
  'charge.settled': ['authorize', 'capture'],
  'charge.failed': ['authorize', 'capture'],
  'refund.settled': ['refund', 'cancel'],
  'refund.failed': ['refund', 'cancel'],
  'dispute.alert': ['authorize', 'capture'],
  'dispute.opened': ['authorize', 'capture'],
  'dispute.closed': ['authorize', 'capture'],
  'payout.paid': ['payout'],
  'payout.failed': ['payout'],
};

const UNKNOWN = 'No operation has the reference that the processor reported.';
const KNOWN = 'What it reports was recorded before.';

interface DecisionPorts {
  readonly appliers: NoticeAppliers;
  /** Bound to the transaction that has locked the notice. */
  readonly rows: NoticeRepositories;
  readonly locks: AccountLocks;
  readonly at: Date;
}

/** The new state of a notice, and the changes that commit with it. */
interface Decided {
  readonly tried: TriedNotice;
  readonly changes: readonly NoticeChange[];
}

/** Finds what a notice is about, locks it, and decides what the notice changes. */
export async function decideNotice(ports: DecisionPorts, stored: StoredNotice): Promise<Decided> {
  if (stored.notice.kind === 'unreadable') return decideUnreadable(ports, stored, stored.notice);
  const notice = { ...stored.notice, occurredAt: happenedAt(stored) };
  return isDirect(notice)
    ? toDecided(stored, ports.at, await decideDirectly(ports, stored, notice))
    : decideForOperation(ports, stored, notice);
}

/** It waits for a person, unless the same notice was read in the meantime. Its operation says whose it is. */
async function decideUnreadable(
  { rows, at }: DecisionPorts,
  stored: StoredNotice,
  notice: UnreadableNotice,
): Promise<Decided> {
  const { noticeId } = notice.data;
  if (noticeId !== undefined && (await rows.notices.isRead(stored, noticeId))) {
    return { tried: ignoredNotice(stored, READ_LATER), changes: [] };
  }
  const [found, ...others] = await rows.notices.findReported(stored, notice, OPERATION_KINDS);
  const isCertain =
    found !== undefined && others.every(({ accountId }) => accountId === found.accountId);
  const owned: StoredNotice = isCertain
    ? { ...stored, accountId: found.accountId, ...(others.length === 0 && { foundId: found.id }) }
    : stored;
  return { tried: quarantinedNotice(owned, unreadableReason(notice), at), changes: [] };
}

type DirectNotice = Extract<Notice, { kind: DirectNoticeKind }>;
type OperationNotice = Exclude<Notice, DirectNotice>;

function isDirect(notice: Notice): notice is DirectNotice {
  return DIRECT_NOTICE_KINDS.some((kind) => kind === notice.kind);
}

async function decideDirectly<Kind extends DirectNoticeKind>(
  { appliers, rows, locks, at }: DecisionPorts,
  stored: StoredNotice,
  notice: NoticeOf<Kind>,
): Promise<DirectDecision> {
  const { environment, processor } = stored;
  const applier = appliers.direct[notice.kind];
  return applier === undefined
    ? noApplier(notice.kind)
    : applier(notice, { environment, processor, locks }, rows, at);
}

async function decideForOperation(
  ports: DecisionPorts,
  stored: StoredNotice,
  notice: OperationNotice,
): Promise<Decided> {
  const { rows, locks, at } = ports;
  const found = await findOperation(rows, stored, notice);
  if (found === undefined) return toDecided(stored, at, early(UNKNOWN));
  if (!fits(notice, found)) return toDecided(stored, at, otherKind(notice, found));
  const { accountId, id: foundId } = found;
  const named: StoredNotice = { ...stored, accountId, foundId, rootId: rootOf(found) };
  await locks.take(accountId, () => rows.lockRoot(found));
  const operation = (await rows.operations.find(found, foundId)) ?? found;
  const decided = await decideWith(ports, notice, operation);
  if (decided.decision === 'contradiction' && (await isOutdated(ports, notice, operation))) {
    return toDecided(named, at, already(OUTDATED));
  }
  const { tried, changes } = toDecided(named, at, decided);
  return { tried, changes: [...changes, ...learned(notice, operation, decided, at)] };
}

/** A notice that names an operation may be the first to tell what the processor calls it. */
function learned(
  { operationId, processorReference }: OperationNotice,
  operation: Operation,
  decided: NoticeDecision,
  at: Date,
): readonly NoticeChange[] {
  const isNew = operationId === operation.id && operation.processorReference === undefined;
  if (!isNew || processorReference === undefined) return [];
  if (decided.decision === 'contradiction') return [];
  if (decided.decision === 'applied' && writtenOperation(decided.change) !== undefined) return [];
  const { accountId, environment } = operation;
  const row = withReference(operation, processorReference);
  return [{ accountId, environment, at, writes: [{ kind: 'operation', mode: 'update', row }] }];
}

/** Generic, so that the applier of a kind gets a notice of that kind. */
async function decideWith<Kind extends OperationNoticeKind>(
  { appliers, rows, at }: DecisionPorts,
  notice: NoticeOf<Kind>,
  operation: Operation,
): Promise<NoticeDecision> {
  const applier = appliers.ofOperations[notice.kind];
  return applier === undefined ? noApplier(notice.kind) : applier(notice, operation, rows, at);
}

function noApplier(kind: string): ReturnType<typeof contradiction> {
  return contradiction(`This version of Paymount does nothing with a notice of kind ${kind}.`);
}

function fits({ kind }: OperationNotice, operation: Operation): boolean {
  return KINDS[kind].includes(operation.kind);
}

/** Time cannot make another operation of it. */
function otherKind({ kind }: OperationNotice, { id, kind: found }: Operation): NoticeDecision {
  return contradiction(
    `Operation ${id} is of kind ${found}; a notice of kind ${kind} cannot be about it.`,
  );
}

/**
 * The operation that a notice names by its id, of whatever kind. Several may share a reference: one
 * that the notice can be about, and that waits for an answer, goes first.
 */
async function findOperation(
  rows: NoticeRepositories,
  { environment, processor }: StoredNotice,
  notice: OperationNotice,
): Promise<Operation | undefined> {
  const from = { environment, processor };
  const reported = await rows.notices.findReported(from, notice, KINDS[notice.kind]);
  const fitting = reported.filter((operation) => fits(notice, operation));
  const named = reported.find(({ id }) => id === notice.operationId);
  return fitting.find(isUnresolved) ?? fitting[0] ?? named;
}

/** The appliers of disputes know themselves what is later: only a ruling is about the same as a ruling. */
async function isOutdated(
  { appliers, rows }: DecisionPorts,
  { kind, occurredAt }: OperationNotice,
  { id }: Operation,
): Promise<boolean> {
  if (appliers.ofOperations[kind] === undefined || kind.startsWith('dispute.')) return false;
  const newest = await rows.notices.newestAppliedAt(id, kind);
  return newest !== undefined && newest.getTime() > occurredAt.getTime();
}

/** No processor can report what has not happened yet. */
function happenedAt({ notice: { occurredAt }, created }: StoredNotice): Date {
  return occurredAt < created ? occurredAt : created;
}

function toDecided(
  stored: StoredNotice,
  at: Date,
  decided: NoticeDecision | DirectDecision,
): Decided {
  switch (decided.decision) {
    case 'applied':
      return {
        tried: appliedNotice(stored),
        changes: 'change' in decided ? [decided.change] : decided.changes,
      };
    case 'already':
      return { tried: ignoredNotice(stored, decided.reason ?? KNOWN), changes: [] };
    case 'early':
      return { tried: postponedNotice(stored, decided.reason, at), changes: [] };
    case 'contradiction':
      return { tried: quarantinedNotice(stored, decided.reason, at), changes: [] };
  }
}
