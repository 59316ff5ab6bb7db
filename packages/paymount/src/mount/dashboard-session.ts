import type { IncomingMessage } from 'node:http';
import {
  type Admin,
  type Authenticator,
  assertCsrfHeader,
  type ClientAddresses,
  currentHostUser,
  type HostUser,
  type Identity,
  isRead,
  type Limits,
  pageKind,
  requireAllowed,
} from '@paymount/auth';
import type { AccountReader } from '@paymount/core/access';
import { type Environment, PaymountError } from '@paymount/core/kernel';
import { accountOf, toMerchant } from '@paymount/dashboard';
import { callerName } from '@paymount/management';

export interface SessionPorts {
  readonly identity: Identity;
  readonly environments: readonly Environment[];
  readonly accounts: Pick<AccountReader, 'find'>;
  readonly clients: ClientAddresses;
  readonly limits: Pick<Limits, 'countAdmin' | 'countVisitor'>;
  /** The origins of the host's own pages; absent: the origin to which a request was sent. */
  readonly origins?: readonly string[];
}

/** Who sends a request to the API of one account and environment, from the host's session. */
export function merchantSession(
  ports: SessionPorts,
  account: string,
  environment: Environment,
): Authenticator {
  const { environments, accounts } = ports;
  return async (request) => {
    const hostUser = requireUser(await currentUser(ports, request));
    assertCsrfHeader(request);
    if (!environments.includes(environment)) {
      throw new PaymountError('resource_missing', `This dashboard has no ${environment} data.`);
    }
    const merchant = toMerchant(hostUser, accountOf(hostUser, account), [environment]);
    if (!isRead(request)) await requireActive(accounts, merchant);
    return merchant;
  };
}

/** As for its keys; but its users may still read. @throws PaymountError 403 `account_disabled` */
async function requireActive(
  accounts: SessionPorts['accounts'],
  { accounts: own }: Admin,
): Promise<void> {
  const [id] = own === 'all' ? [] : own;
  const account = id && (await accounts.find(id));
  if (account?.status === 'suspended') throw new PaymountError('account_disabled');
}

/**
 * Who opens a page, after the request was counted: users one by one, so that any number of them
 * can share an address.
 * @returns null for a visitor who is not logged in
 * @throws PaymountError 429 `rate_limit`, and those of `currentHostUser`
 */
export async function countedUser(
  ports: SessionPorts,
  request: IncomingMessage,
): Promise<HostUser | null> {
  const hostUser = await currentUser(ports, request);
  if (hostUser === null) return null;
  const { limits, origins } = ports;
  const name = callerName({ kind: 'user', id: hostUser.userId });
  const counted = await limits.countAdmin(name, pageKind(request, origins));
  if (counted) requireAllowed(counted.state);
  return hostUser;
}

/** @throws PaymountError 401 `login_required` for a visitor who is not logged in */
export function requireUser(hostUser: HostUser | null): HostUser {
  if (hostUser === null) throw new PaymountError('login_required');
  return hostUser;
}

/**
 * Visitors are counted by address. That comes after the call of the host, because until then nobody
 * knows whether it is a user, whom strangers at the address must not keep out.
 */
async function currentUser(
  { identity, clients, limits, origins }: SessionPorts,
  request: IncomingMessage,
): Promise<HostUser | null> {
  // After a client has disconnected, its socket no longer has its address.
  const address = clients.ofRequest(request);
  const hostUser = await currentHostUser(identity, request);
  if (hostUser !== null) return hostUser;
  const counted = await limits.countVisitor(address, pageKind(request, origins));
  if (counted) requireAllowed(counted.state);
  return null;
}
