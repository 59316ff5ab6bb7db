import type { IncomingMessage } from 'node:http';
import {
  type AdminScope,
  type AllOptions,
  ANY_OPTION,
  assertOptions,
  type Environment,
  PaymountError,
  parseId,
  toOneLine,
} from '@paymount/core/kernel';

/** A person or a program that may use the management API, within its roles. */
export interface Admin extends AdminScope {
  /** A user of the host with the roles of merchants. @defaultValue an admin of the installation */
  readonly kind?: 'user';
  /** 1-255 characters; stored in audit rows. */
  readonly id: string;
  readonly displayName: string;
  /** Names of roles; unknown names give no permission. */
  readonly roles: readonly string[];
  /** When the person last logged in; absent if unknown. */
  readonly authTime?: Date;
  /**
   * How the admin was authenticated: `jwt`, `session`, `mtls`; joined by `+` if several were used.
   */
  readonly via: string;
  /** The id of the token, so that each token can be used for only one destructive call. */
  readonly tokenId?: string;
}

/**
 * Identifies the admin who sends a request to the management API, never from its body.
 * @param now business time
 * @throws PaymountError 401 `admin_unauthenticated` if the request does not authenticate an admin;
 *   `CredentialMissing`, a kind of it, if the request has no credential
 */
export type Authenticator = (request: IncomingMessage, now: Date) => Promise<Admin>;

/** The host's description of an admin. */
export interface AdminFacts {
  /** 1-255 characters; stored in audit rows. */
  readonly id: string;
  /** @defaultValue the id */
  readonly displayName?: string;
  /** `viewer`, `support`, `developer`, `security`, `admin`; several add up. */
  readonly roles: readonly string[];
  /** @defaultValue all */
  readonly accounts?: 'all' | readonly string[];
  /** @defaultValue both */
  readonly environments?: readonly Environment[];
  /** When the person last signed in; if absent, the admin cannot create or rotate live keys. */
  readonly authTime?: Date;
}

const FACTS: AllOptions<AdminFacts> = {
  id: ANY_OPTION,
  displayName: ANY_OPTION,
  roles: ANY_OPTION,
  accounts: ANY_OPTION,
  environments: ANY_OPTION,
  authTime: ANY_OPTION,
};
const MAX_ID = 255;
const MAX_NAME = 200;
/**
 * Controls, line ends, and unpaired surrogates, which all become one character in UTF-8, so that
 * two admins would become one. This also separates the idempotency keys of two admins, which follow
 * the id after a line break.
 */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text is a valid id of an admin, or of a user of the host. */
export function isActorId(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_ID && !UNFIT.test(text);
}

/**
 * An admin from the host's description. Unknown names are refused, because they could be a limit
 * that the host meant: `account` instead of `accounts` would give all of them.
 * @throws TypeError if the host's code returned something else: a bug of the host, answered 500
 */
export function toAdmin(facts: AdminFacts, via: string): Admin {
  assertOptions('An admin', FACTS, facts);
  const { id, displayName = id, roles, accounts = 'all', environments, authTime } = facts;
  const admin: Admin = {
    id,
    displayName: toOneLine(String(displayName).slice(0, MAX_NAME)),
    roles,
    accounts: accounts === 'all' ? 'all' : accounts.map(accountId),
    environments: environments ?? ['live', 'test'],
    ...(authTime === undefined ? {} : { authTime }),
    via,
  };
  assertAdmin(admin);
  return admin;
}

function accountId(text: string): Exclude<Admin['accounts'], 'all'>[number] {
  const id = parseId('acct', text);
  if (id === undefined) throw new TypeError('An account of an admin is not a valid account id.');
  return id;
}

/**
 * Checks an admin from any authenticator, because every permission depends on these fields.
 * @throws TypeError naming the field; a bug of the host, answered 500
 */
export function assertAdmin(admin: Admin): void {
  const { id, roles, accounts, environments, authTime, via } = admin;
  const faults: readonly (readonly [holds: boolean, fault: string])[] = [
    [isActorId(id), 'id of an admin is a text of 1 to 255 printable characters'],
    [isTexts(roles), 'roles of an admin are an array of names'],
    [accounts === 'all' || isTexts(accounts), 'accounts of an admin are "all" or an array of ids'],
    [isTexts(environments) && environments.every(isEnvironment), ENVIRONMENTS_FAULT],
    [authTime === undefined || isMoment(authTime), 'authTime of an admin is a valid Date'],
    [typeof via === 'string' && via !== '', 'via of an admin is a text'],
  ];
  const [, fault] = faults.find(([holds]) => !holds) ?? [];
  if (fault !== undefined) throw new TypeError(`The ${fault}.`);
}

const ENVIRONMENTS_FAULT = 'environments of an admin are an array of "live" and "test"';

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isEnvironment(text: string): boolean {
  return text === 'live' || text === 'test';
}

function isMoment(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/** The error for a request that does not authenticate an admin. @param message what is needed */
export function unauthenticated(message: string): PaymountError {
  return new PaymountError('admin_unauthenticated', message);
}

/**
 * 401 `admin_unauthenticated` for a request without any credential for an admin. It is not a guess,
 * so it does not count against its address.
 */
export class CredentialMissing extends PaymountError {
  readonly credential = 'missing';

  constructor(message: string) {
    super('admin_unauthenticated', message);
  }

  /** Checks a mark, because `instanceof` fails across copies of the package. */
  static override is(value: unknown): value is CredentialMissing {
    return PaymountError.is(value) && 'credential' in value && value.credential === 'missing';
  }
}
