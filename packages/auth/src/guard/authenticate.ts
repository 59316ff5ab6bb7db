import {
  type CredentialReader,
  hashCredential,
  isExpired,
  oauthTypeOf,
} from '@paymount/core/access';
import {
  type Clock,
  type Environment,
  type Logger,
  PaymountError,
  type Principal,
  withTimeout,
} from '@paymount/core/kernel';
import type { TryOutcome } from '../limits/credential-tries.ts';
import type { Limits } from '../limits/limits.ts';
import { type AuthorizationRequest, authorize } from './authorize.ts';
import { EpochSync } from './epoch-sync.ts';
import { KeyCache, type KnownCredential } from './key-cache.ts';
import { knownKey } from './known-key.ts';
import { knownToken } from './known-token.ts';
import { isWithin, type Moment, readClocks } from './moment.ts';
import { type CredentialSource, readCredential, validateKey } from './read-credential.ts';

/** A look-up that takes longer is answered 503; this bounds a revocation during a cold fill. */
const LOOK_UP_LIMIT_MS = 250;
/** Maximum number of concurrent look-ups; more requests are refused instead of queued. */
const MAX_LOOK_UPS = 1000;

export interface GuardPorts {
  readonly credentials: CredentialReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Refuses addresses that guess keys. @defaultValue no limit */
  readonly limits?: Pick<Limits, 'startTry'>;
}

/** The parts of a request that the guard reads. */
export interface GuardRequest extends CredentialSource {
  /** The client's canonical address (`ClientAddresses`); undefined if unknown. */
  readonly address: string | undefined;
}

export interface AuthenticateOptions {
  /** Bypasses the cache: a transaction found that the credential has changed. */
  readonly fresh?: true;
}

export interface Guard {
  /**
   * Authenticates a request: finds the principal of its credential (specification: Authentication).
   * If the key is cached under a fresh lease it returns, or throws, synchronously; otherwise it
   * returns a promise. `authorizeRoute` then decides about the route. It does not check the URL:
   * routers refuse a key in it before they find a route.
   * @param environment the environment of the mount
   * @throws 400 `multiple_credentials`; 401 `api_key_missing`, `api_key_malformed`,
   *   `api_key_invalid`, `api_key_revoked`, `api_key_expired`, `token_revoked`, `token_expired`,
   *   `livemode_mismatch`; 403 `account_disabled`, `ip_not_allowed`; 429 `rate_limit`; 503 `unavailable`
   */
  authenticate(
    request: GuardRequest,
    environment: Environment,
    options?: AuthenticateOptions,
  ): Principal | Promise<Principal>;
  /** Notifies the guard of a possible change of access: it queries the database now. */
  refreshSoon(): void;
  /** From now on every request is answered 503. */
  close(): void;
}

interface Found {
  /** Absent if no credential has this hash. */
  readonly key: KnownCredential | undefined;
  readonly inRecovery: boolean;
}

interface SharedLookUp {
  readonly sentAt: Moment;
  readonly found: Promise<Found>;
}

/** Makes the guard of one process; all mounts share it, and with it the key cache. */
export function createGuard(ports: GuardPorts): Guard {
  return new LeasedGuard(ports);
}

class LeasedGuard implements Guard {
  readonly #ports: GuardPorts;
  readonly #cache = new KeyCache();
  readonly #epoch: EpochSync;
  readonly #lookUps = new Map<string, SharedLookUp>();
  #closed = false;

  constructor(ports: GuardPorts) {
    this.#ports = ports;
    this.#epoch = new EpochSync({ ...ports, cache: this.#cache });
  }

  /** The order of checks is part of the API; TLS (1), address and environment (2) come before. */
  authenticate(
    request: GuardRequest,
    environment: Environment,
    { fresh }: AuthenticateOptions = {},
  ): Principal | Promise<Principal> {
    if (this.#closed) throw unavailable();
    // (3) Header and format, without I/O.
    const credential = readCredential(request);
    const { address } = request;
    const slot = hashCredential(credential, 'binary');
    const cached = this.#cache.find(slot);
    // Prefix, length and check characters: what is cached was well-formed when it was looked up.
    if (cached === undefined) validateKey(credential);
    // (4) The cache, if the lease is fresh when the decision is made.
    const isUsable = this.#epoch.isFresh() && fresh !== true;
    if (cached !== undefined && isUsable) {
      const now = this.#ports.clock.now();
      // (5) to (8); the caller does (9), the limit of the key, and (10).
      const key = cached === 'unknown' ? undefined : cached;
      return authorize(key, { credential, environment, address, now });
    }
    if (fresh) this.#lookUps.delete(slot);
    return this.#lookUp(slot, { credential, environment, address });
  }

  refreshSoon(): void {
    if (!this.#closed) this.#epoch.refreshSoon();
  }

  close(): void {
    this.#closed = true;
    this.#epoch.close();
    this.#cache.clear();
  }

  async #lookUp(slot: string, wanted: Omit<AuthorizationRequest, 'now'>): Promise<Principal> {
    const { clock, limits } = this.#ports;
    // (4) The limit on failed credentials. A key that was found recently is not a guess, and a
    // request that joins a look-up costs nothing.
    const isFree = this.#cache.knows(slot) || this.#lookUps.has(slot);
    const started = isFree ? undefined : limits?.startTry('key', wanted.address);
    const tried = started instanceof Promise ? await started : started;
    let outcome: TryOutcome = 'open';
    try {
      const joined = this.#lookUps.get(slot);
      const lookUp = joined ?? this.#send(slot, wanted.credential);
      const { key, inRecovery } = await lookUp.found.catch((cause: unknown) => {
        throw unavailable(cause);
      });
      // Checked when the decision is made: the answer may have waited for a blocked event loop,
      // and a standby's answer may be stale.
      const inTime = isWithin(lookUp.sentAt, readClocks(clock), LOOK_UP_LIMIT_MS);
      if (!inTime || this.#closed || inRecovery) throw unavailable();
      const now = clock.now();
      const isGood = key !== undefined && !key.isRevoked && !isExpired(key, now);
      if (joined === undefined) outcome = isGood ? 'good' : 'bad';
      return authorize(key, { ...wanted, now });
    } finally {
      tried?.end(outcome);
    }
  }

  /** Requests with the same key share one look-up: a lapsed lease costs one, not hundreds. */
  #send(slot: string, credential: string): SharedLookUp {
    if (this.#lookUps.size >= MAX_LOOK_UPS) throw unavailable();
    const hash = Buffer.from(slot, 'binary');
    const appliedBefore = this.#cache.applied;
    const lookUp: SharedLookUp = {
      sentAt: readClocks(this.#ports.clock),
      found: withTimeout(this.#find(credential, hash), LOOK_UP_LIMIT_MS)
        .then(({ key, inRecovery }) => {
          if (!inRecovery) this.#cache.fill(slot, key, appliedBefore);
          return { key, inRecovery };
        })
        .finally(() => {
          // A fresh look-up may have replaced it.
          if (this.#lookUps.get(slot) === lookUp) this.#lookUps.delete(slot);
        }),
    };
    this.#lookUps.set(slot, lookUp);
    return lookUp;
  }

  async #find(text: string, hash: Uint8Array): Promise<Found> {
    const { credentials } = this.#ports;
    if (oauthTypeOf(text) === 'access_token') {
      const { credential, inRecovery } = await credentials.findTokenByHash(hash);
      return { key: knownToken(credential, hash), inRecovery };
    }
    const { credential, inRecovery } = await credentials.findByHash(hash);
    return { key: knownKey(credential, hash), inRecovery };
  }
}

function unavailable(cause?: unknown): PaymountError {
  return new PaymountError('unavailable', undefined, {
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause }),
  });
}
