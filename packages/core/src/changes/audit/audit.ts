import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountId, AuditId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';

/** The actions of audit rows: `<noun>.<verb>`. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.update',
  'account.suspend',
  'account.resume',
  'key.create',
  'key.update',
  'key.rotate',
  'key.revoke',
  'platform.create',
  'platform.update',
  'platform.disable',
  'platform.enable',
  'platform.create_secret',
  'platform.revoke_secret',
  'grant.create',
  'grant.revoke',
  'endpoint.create',
  'endpoint.update',
  'endpoint.delete',
  'endpoint.disable',
  'endpoint.rotate_secret',
  'endpoint.reveal_secrets',
  'refund.create',
  'delivery.retry',
  'event.replay',
  'event.trigger',
  'replay.create',
  'replay.cancel',
  'expunge_request.create',
  'operation.settle',
  'operation.dismiss',
  'notice.retry',
  'notice.dismiss',
  'dispute.rule',
  'payout_settings.update',
  'billing_settings.update',
  'subscription.update',
  'subscription.cancel',
  'subscription.retry_work',
  'invoice.pay',
  'invoice.void',
  'invoice.mark_uncollectible',
  'invoice.retry_work',
  'bank_account.create',
  'bank_account.update',
  'bank_account.delete',
  'bank_account.confirm',
  'bank_account.restore',
  'adjustment.create',
  'settlement_difference.settle',
  'test_clock.clear',
  'leak.report',
  'leak.dismiss',
  'leak.rotate_signing_secrets',
  'secrets.rewrap',
  'hook.remove',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The fields of an object as an audit row shows them; JSON, and never a secret. */
export type AuditFacts = Readonly<Record<string, unknown>>;

/**
 * One change, as its service describes it; storage adds it to the chain and commits it with the
 * change.
 */
export interface AuditEntry extends AuditContext {
  /** Absent for a change without an account: the global chain. */
  readonly accountId?: AccountId;
  /** Absent for a change without an environment, such as one of an account. */
  readonly environment?: Environment;
  readonly action: AuditAction;
  /** Id of the changed object. */
  readonly target: string;
  /** Absent for a created object. */
  readonly before?: AuditFacts;
  /** Absent for a removed object. */
  readonly after?: AuditFacts;
  readonly created: Date;
}

/** An entry before it has a place in its chain. */
export interface UnchainedEntry extends AuditEntry {
  readonly id: AuditId;
}

/** An entry in its chain: one chain per account, and the global one. */
export interface AuditRecord extends UnchainedEntry {
  /** From 1, without gaps. */
  readonly seq: bigint;
  /** Hash of the previous entry of the chain, hexadecimal; 64 zeros for the first. */
  readonly prevHash: string;
  /** SHA-256 of `prevHash` and the entry's canonical JSON, hexadecimal. */
  readonly hash: string;
}

/** The newest entry of a chain. A copy kept elsewhere shows later whether the tail was cut. */
export interface AuditHead {
  readonly accountId?: AccountId;
  readonly seq: bigint;
  readonly hash: string;
}

/** An entry that is missing, out of place, or changed; or kept heads that differ on it. */
export type AuditFault = { readonly accountId?: AccountId; readonly seq: bigint } & (
  | { readonly found: 'changed' | 'missing' | 'unlinked' }
  | {
      readonly found: 'contradicted';
      /** The different hashes that kept heads give for this entry. */
      readonly kept: readonly string[];
    }
);

export interface AuditVerdict {
  readonly entries: number;
  readonly heads: readonly AuditHead[];
  /** Empty if nothing is wrong. */
  readonly faults: readonly AuditFault[];
}
