import type { RingKey } from '@paymount/auth';
import type { WorkerOptions } from 'paymount/worker';
import type { CrashPlan } from './crash-plan.ts';

/** How a host process is set up. */
export interface HostSettings {
  readonly databaseUrl: string;
  readonly sealingKeys: readonly RingKey[];
  readonly redisUrl?: string;
  /** Authority that the process trusts when it delivers, PEM. */
  readonly ca?: string;
  /** Mail server. @defaultValue mails stay in the outbox */
  readonly smtp?: string;
  readonly crash?: CrashPlan;
  /** How far the clock is ahead of the machine's from the start. */
  readonly shiftMs?: number;
  /** Options of a worker that starts once the process listens. @defaultValue no worker */
  readonly worker?: WorkerOptions;
  /** Makes the process a shop of the money run, with a bank, live and a hook. */
  readonly shop?: ShopSettings;
}

/** What a shop is like. */
export interface ShopSettings {
  readonly bankUrl: string;
  /** True: Paymount works on the host's own knex, instead of a pool of its own. */
  readonly sharesKnex: boolean;
  /** True: the adapter calls a silence a decline, which no adapter may. */
  readonly isHasty: boolean;
}

/** What the parent asks of a host process. */
export type Command = { readonly id: number } & (
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'drain' }
  | { readonly do: 'work'; readonly options: WorkerOptions }
  | { readonly do: 'rest' }
);

/** Id 0 is the process's own word that it listens. */
export interface Reply {
  readonly id: number;
  readonly port?: number;
  readonly error?: string;
}
