import type { AccountId } from './id.ts';

export const ENVIRONMENTS = ['live', 'test'] as const;
/** Keys, rows and mounts belong to exactly one of the two. */
export type Environment = (typeof ENVIRONMENTS)[number];

/** The account and environment that own a row; every query carries both. */
export interface Owner {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** `livemode` as in JSON and in columns. */
export function livemode(environment: Environment): boolean {
  return environment === 'live';
}

/** The environment of a stored row. */
export function environmentOf(isLive: boolean): Environment {
  return isLive ? 'live' : 'test';
}
