import type { AccountResource, KeyResource, LeakResource } from '@paymount/core/access';
import type { BillingSettingsResource } from '@paymount/core/billing';
import type { AuditResource, EventType } from '@paymount/core/changes';
import type {
  AdminDeliveryResource,
  AdminDeliverySummaryResource,
  AdminEndpointResource,
  AdminReplayResource,
} from '@paymount/core/events';
import type { Environment, Scope } from '@paymount/core/kernel';
import type { BalanceResource, BalanceTransactionResource } from '@paymount/core/ledger';
import type { ConnectedApplicationResource } from '@paymount/core/oauth';
import type {
  ChargeResource,
  LiveBankAccountResource,
  RefundResource,
} from '@paymount/core/payments';

export type { Environment, EventType, Scope };

export type Account = (typeof AccountResource)['_output'];
export type BillingSettings = (typeof BillingSettingsResource)['_output'];
export type ConnectedApplication = (typeof ConnectedApplicationResource)['_output'];
export type AuditEntry = (typeof AuditResource)['_output'];
export type BankAccount = (typeof LiveBankAccountResource)['_output'];
export type Balance = (typeof BalanceResource)['_output'];
export type BalanceTransaction = (typeof BalanceTransactionResource)['_output'];
export type Charge = (typeof ChargeResource)['_output'];
export type Refund = (typeof RefundResource)['_output'];
export type Delivery = (typeof AdminDeliveryResource)['_output'];
export type Attempt = NonNullable<Delivery['attempts']>[number];
export type DeliverySummary = (typeof AdminDeliverySummaryResource)['_output'];
export type Endpoint = (typeof AdminEndpointResource)['_output'];
export type Key = (typeof KeyResource)['_output'];
export type Leak = (typeof LeakResource)['_output'];
export type Replay = (typeof AdminReplayResource)['_output'];

/** An event as the server shows it. */
export interface StoredEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: EventType;
  readonly api_version: string;
  readonly created: string;
  readonly livemode: boolean;
  readonly account: string;
  readonly data: { readonly object: { readonly id: string; readonly object: string } };
  readonly expunged_at?: string;
}

export interface SigningSecrets {
  readonly secrets: readonly {
    readonly id: string;
    readonly secret: string;
    /** The end of an overlap; null for the current secret. */
    readonly expires_at: string | null;
  }[];
}

export interface KeyUsageHour {
  readonly hour: string;
  readonly succeeded: number;
  readonly refused: number;
  readonly rate_limited: number;
  readonly failed: number;
}

export interface KeyUsage {
  readonly hours: readonly KeyUsageHour[];
}

export interface IpSuggestions {
  readonly addresses: readonly {
    readonly address: string;
    readonly requests: number;
    readonly last_seen_at: string;
  }[];
  readonly ranges: readonly {
    readonly range: string;
    readonly requests: number;
    readonly addresses: number;
  }[];
}

export interface Page<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
}

/** What a role permits in one environment. */
export type Permission =
  | `${'accounts' | 'billing' | 'keys' | 'endpoints' | 'leaks'}.${'read' | 'write'}`
  | `${'grants' | 'deliveries' | 'audit' | 'charges' | 'balance'}.read`
  | 'keys.revoke'
  | 'grants.revoke'
  | 'charges.refund'
  | 'deliveries.replay'
  | 'events.trigger';

export interface SessionAccount {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'developer' | 'viewer';
}

export interface Session {
  readonly user: { readonly id: string; readonly display_name: string };
  readonly auth_time: string;
  readonly environments: readonly Environment[];
  readonly accounts: readonly SessionAccount[];
  /** What each role of the user permits. */
  readonly permissions: Readonly<
    Partial<Record<SessionAccount['role'], Readonly<Record<Environment, readonly string[]>>>>
  >;
  readonly appearance: {
    readonly name: string | null;
    readonly logo_url: string | null;
    readonly color: string | null;
  };
  /** Null if the host shows no reference of the API. */
  readonly api_reference: { readonly can_try: boolean } | null;
}
