import { createContext, use } from 'react';
import type { Environment, Permission, SessionAccount } from './resources.ts';

/** The account and environment that the address names. */
export interface Place {
  readonly account: SessionAccount;
  readonly environment: Environment;
  /** What the user's role permits here. */
  readonly permissions: readonly string[];
  /** The path of its pages, without a slash at its end. */
  readonly path: string;
}

export const PlaceContext = createContext<Place | undefined>(undefined);

export function usePlace(): Place {
  const place = use(PlaceContext);
  if (place === undefined) throw new Error('This page is outside of an account.');
  return place;
}

/** Whether the user's role permits something here. */
export function useMay(permission: Permission): boolean {
  return usePlace().permissions.includes(permission);
}

/** What every resource that is created here is told. */
export function useOwner(): { readonly account: string; readonly livemode: boolean } {
  const { account, environment } = usePlace();
  return { account: account.id, livemode: environment === 'live' };
}
