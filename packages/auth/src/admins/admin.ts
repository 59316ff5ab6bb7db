import type { IncomingMessage } from 'node:http';
import {
  type AdminScope,
  type AllOptions,
  ANY_OPTION,
  type Environment,
  PaymountError,
  parseId,
  refuseWrongOptions,
} from '@paymount/core/kernel';

/** A person or a program that may use the management API, as far as its roles go. */
export interface Admin extends AdminScope {
  /** 1-255 characters; stands in audit rows. */
  readonly id: string;
  readonly displayName: string;
  /** Names of roles; those that are not known give nothing. */
  readonly roles: readonly string[];
  /** When the person last proved who they are; absent when that is not known. */
  readonly authTime?: Date;
  /** How the admin was known: `jwt`, `session`, `mtls`; joined by `+` when several held. */
  readonly via: string;
  /** Names the token that was sent, so that a destructive call takes each only once. */
  readonly tokenId?: string;
}

/**
 * Tells who sends a request to the management API; the subject never comes from its body.
 * @param now business time
 * @throws PaymountError 401 `admin_unauthenticated` when the request proves no admin, and of these
 *   `CredentialMissing` when it does not try to
 */
export type Authenticator = (request: IncomingMessage, now: Date) => Promise<Admin>;

/** What a host says of an admin. */
export interface AdminFacts {
  /** 1-255 characters; stands in audit rows. */
  readonly id: string;
  /** @defaultValue the id */
  readonly displayName?: string;
  /** `viewer`, `support`, `developer`, `security`, `admin`; several add up. */
  readonly roles: readonly string[];
  /** @defaultValue all */
  readonly accounts?: 'all' | readonly string[];
  /** @defaultValue both */
  readonly environments?: readonly Environment[];
  /** When the person last signed in; without it, live keys are neither made nor rotated. */
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
 * Controls, line ends, and halves of surrogate pairs, which all become one character in UTF-8: they
 * would make two admins one. Also keeps the idempotency keys of two admins apart, which follow the
 * id after a line break.
 */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text can be the id of an admin. */
export function isAdminId(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_ID && !UNFIT.test(text);
}

/**
 * An admin as a host described it. A name that is none of these would leave out a limit that the
 * host meant: `account` for `accounts` gives all of them.
 * @throws TypeError when the host's code gave something else: its mistake, answered 500
 */
export function adminOf(facts: AdminFacts, via: string): Admin {
  refuseWrongOptions('An admin', FACTS, facts);
  const { id, displayName = id, roles, accounts = 'all', environments, authTime } = facts;
  const admin: Admin = {
    id,
    displayName: String(displayName).slice(0, MAX_NAME),
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
  if (id === undefined) throw new TypeError('An account of an admin is no account id.');
  return id;
}

/**
 * Refuses what is no admin, whichever authenticator gave it: every right rests on these fields.
 * @throws TypeError naming the field; the host's mistake, answered 500
 */
export function assertAdmin(admin: Admin): void {
  const { id, roles, accounts, environments, authTime, via } = admin;
  const faults: readonly (readonly [holds: boolean, fault: string])[] = [
    [isAdminId(id), 'id of an admin is a text of 1 to 255 printable characters'],
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

/** The refusal of a request that proves no admin. @param message what is needed */
export function unauthenticated(message: string): PaymountError {
  return new PaymountError('admin_unauthenticated', message);
}

/**
 * 401 `admin_unauthenticated` for a request that carries nothing that could prove an admin. It is no
 * guess, so it does not count against the address that it comes from.
 */
export class CredentialMissing extends PaymountError {
  readonly credential = 'missing';

  constructor(message: string) {
    super('admin_unauthenticated', message);
  }

  /** By its mark, because `instanceof` fails across copies of the package. */
  static override is(value: unknown): value is CredentialMissing {
    return PaymountError.is(value) && 'credential' in value && value.credential === 'missing';
  }
}
