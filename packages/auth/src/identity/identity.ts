import type { IncomingMessage } from 'node:http';
import {
  type AccountId,
  PaymountError,
  parseId,
  toOneLine,
  withTimeout,
} from '@paymount/core/kernel';
import { isActorId } from '../admins/admin.ts';

/** The host's login, for the pages of OAuth and the dashboard. */
export interface Identity {
  /**
   * The user who is logged in at the host, by the host's own session.
   * @returns null if nobody is logged in
   */
  current(request: IncomingMessage): Promise<HostUser | null>;
  /**
   * The host's login page.
   * @param returnTo the path to which it must redirect the browser afterwards
   * @param hint why: `login`, or `reauthenticate` if the login is older than `maxAgeSeconds`
   */
  loginUrl(returnTo: string, hint: LoginHint): string;
}

/** Why a user must log in. */
export interface LoginHint {
  readonly reason: 'login' | 'reauthenticate';
  /** The longest time since the login that is accepted. */
  readonly maxAgeSeconds?: number;
}

/** A user of the host. */
export interface HostUser {
  /** 1-255 characters; stored in audit rows. */
  readonly userId: string;
  /** Shown to the user. */
  readonly displayName: string;
  /** Differs for each login; only its SHA-256 is stored. */
  readonly sessionRef: string;
  /** When the user last proved who they are. */
  readonly authTime: Date;
  /**
   * The accounts of the user, at most 10,000, each of them once. Only owners may let platforms act
   * for one.
   */
  readonly accounts: readonly HostUserAccount[];
}

/** An account of a user. */
export interface HostUserAccount {
  /** `acct_...` */
  readonly id: string;
  /** Shown to the user. */
  readonly name: string;
  readonly role: MerchantRole;
}

/** What a user may do for an account. */
const MERCHANT_ROLES = ['owner', 'developer', 'viewer'] as const;
export type MerchantRole = (typeof MERCHANT_ROLES)[number];

const LIMIT_MS = 5_000;
/** The dashboard sends all of them with each page: about 1 MB. */
const MAX_ACCOUNTS = 10_000;

/**
 * Asks the host who is logged in.
 * @throws PaymountError `unavailable` if it fails or takes more than 5 seconds
 * @throws TypeError if it returns something else: a bug of the host, answered 500
 */
export async function currentHostUser(
  identity: Identity,
  request: IncomingMessage,
): Promise<HostUser | null> {
  let hostUser: HostUser | null;
  try {
    // A function that throws counts as one that rejects.
    hostUser = await withTimeout(
      Promise.resolve().then(() => identity.current(request)),
      LIMIT_MS,
    );
  } catch (cause) {
    throw new PaymountError('unavailable', 'The login cannot be checked now.', { cause });
  }
  if (hostUser === null) return null;
  assertHostUser(hostUser);
  // Each is named: the host may return an instance of a class, whose members a copy would lose.
  const { userId, displayName, sessionRef, authTime, accounts } = hostUser;
  return {
    userId,
    displayName: toOneLine(displayName),
    sessionRef,
    authTime,
    accounts: accounts.map(({ id, name, role }) => ({ id, name: toOneLine(name), role })),
  };
}

/** The accounts that a user owns: those for which the user may approve a platform. */
export function ownedAccounts({
  accounts,
}: HostUser): readonly { readonly id: AccountId; readonly name: string }[] {
  return accounts.flatMap(({ id, name, role }) => {
    const accountId = parseId('acct', id);
    return role === 'owner' && accountId !== undefined ? [{ id: accountId, name }] : [];
  });
}

/**
 * The address of the host's login page.
 * @throws TypeError unless it is a path or an http(s) URL: a bug of the host, answered 500
 */
export function loginLocation(identity: Identity, returnTo: string, hint: LoginHint): string {
  const url = identity.loginUrl(returnTo, hint);
  const isPlain = typeof url === 'string' && /^[\x21-\x7e]+$/.test(url);
  if (isPlain && (/^\/(?![/\\])/.test(url) || /^https?:\/\//.test(url))) return url;
  throw new TypeError('identity.loginUrl() returned neither a path nor an http(s) URL.');
}

function assertHostUser(hostUser: HostUser | undefined): void {
  if (hostUser === undefined)
    throw new TypeError('identity.current() returned undefined, not null.');
  const { userId, displayName, sessionRef, authTime, accounts } = hostUser;
  const faults: readonly (readonly [holds: boolean, fault: string])[] = [
    [isActorId(userId), 'userId is a text of 1 to 255 printable characters'],
    [typeof displayName === 'string', 'displayName is a text'],
    [typeof sessionRef === 'string' && sessionRef !== '', 'sessionRef is a text'],
    [authTime instanceof Date && !Number.isNaN(authTime.getTime()), 'authTime is a valid Date'],
  ];
  const fault = faults.find(([holds]) => !holds)?.[1] ?? findAccountsFault(accounts);
  if (fault !== undefined) throw new TypeError(`identity.current(): ${fault}.`);
}

function findAccountsFault(accounts: HostUser['accounts']): string | undefined {
  if (!isAccountList(accounts)) {
    return 'accounts are an array of `{ id, name, role }`, and role is owner, developer or viewer';
  }
  if (accounts.length > MAX_ACCOUNTS) {
    return `accounts are at most ${MAX_ACCOUNTS}, but there are ${accounts.length}`;
  }
  // Two roles in one account would leave open what the user may do there.
  const ids = new Set(accounts.map(({ id }) => id));
  return ids.size === accounts.length ? undefined : 'accounts name each account once';
}

function isAccountList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isAccount);
}

function isAccount({ id, name, role }: HostUserAccount): boolean {
  return (
    parseId('acct', id) !== undefined && typeof name === 'string' && MERCHANT_ROLES.includes(role)
  );
}
