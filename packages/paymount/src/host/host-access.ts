import type { Parts } from '../parts/parts.ts';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { HostAccessCalls } from './host-access-calls.ts';
import { accountsFor, type HostAccounts } from './host-accounts.ts';
import { type HostKeys, keysFor } from './host-keys.ts';
import { type HostPlatforms, platformsFor } from './host-platforms.ts';

/** Accounts, keys and platforms for the host's own code, with the shapes of the management API. */
export interface HostAccess {
  /** Merchants. */
  readonly accounts: HostAccounts;
  /** Their keys. */
  readonly keys: HostKeys;
  /** The OAuth clients that act for merchants. */
  readonly platforms: HostPlatforms;
}

/** The services; each change is a separate transaction. */
export function hostAccess(parts: Parts, inFlight: WorkInFlight): HostAccess {
  const { directory, storage, usage } = parts.stores;
  const calls = new HostAccessCalls({ ...parts, idempotency: storage.idempotency });
  const ports = { ...parts, directory, usage };
  return {
    accounts: inFlight.calls(accountsFor(ports, calls)),
    keys: inFlight.calls(keysFor(ports, calls)),
    platforms: inFlight.calls(platformsFor(ports, calls)),
  };
}
