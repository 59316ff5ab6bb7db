import type { RingKey } from '@paymount/auth';

/** How a server process is set up. */
export interface ServerSettings {
  readonly databaseUrl: string;
  readonly sealingKeys: readonly RingKey[];
  /** Changes of access are announced through it. */
  readonly redisUrl?: string;
  /** Whether it listens for what PostgreSQL announces. */
  readonly listens: boolean;
  /** How fast its clocks go; a lease of such a process lasts longer than it thinks. */
  readonly clockRate: number;
}

/** What the parent asks of a server process. */
export type Command =
  /** Does nothing else for so long. */
  | { readonly do: 'block'; readonly ms: number }
  /** Sets the wall clock. */
  | { readonly do: 'stepWall'; readonly ms: number }
  | { readonly do: 'stop' };

/** The one word of a server process: it listens. */
export interface Ready {
  readonly port: number;
}

/**
 * When the guard read the clock for its decision, and when the answer went out, in milliseconds of
 * the machine's monotonic clock, which all processes share.
 */
export const DECIDED_AT = 'x-decided-at';
export const ANSWERED_AT = 'x-answered-at';

/** Milliseconds of the machine's monotonic clock. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
