import type { Id, KeyId } from '../../kernel/basics/id.ts';

/** Whose usage is recorded: of a key, or of all tokens of a grant. */
export type UsedId = KeyId | Id<'grt'>;

/** Counts of answers by class of status. */
export interface UseCounts {
  /** 1xx to 3xx. */
  readonly succeeded: number;
  /** 4xx except 429. */
  readonly refused: number;
  readonly rateLimited: number;
  /** 5xx. */
  readonly failed: number;
}

/** The usage of one key or grant in one process since it was last stored. */
export interface KeyUse {
  readonly keyId: UsedId;
  readonly lastUsedAt: Date;
  /** Address of the client; absent if unknown. */
  readonly lastIp?: string;
  /** At most 256 characters. */
  readonly lastUserAgent?: string;
  /** By hour (UTC, its first instant). */
  readonly hours: readonly ({ readonly hour: Date } & UseCounts)[];
  readonly addresses: readonly {
    readonly address: string;
    readonly count: number;
    readonly lastSeenAt: Date;
  }[];
}

/** The stored usage of a key; up to 10 s old. */
export interface KeyUsage {
  readonly lastUsedAt?: Date;
  readonly lastIp?: string;
  readonly lastUserAgent?: string;
  readonly requests24h: number;
}

export interface KeyAddress {
  /** An address without a prefix length. */
  readonly address: string;
  readonly requests: number;
  readonly lastSeenAt: Date;
}
