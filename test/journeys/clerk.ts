import { randomBytes } from 'node:crypto';
import { createStaffMember } from '../../example-host/src/staff.ts';
import type { OpenShop } from '../support/open-shop.ts';

type Json = Readonly<Record<string, unknown>>;

/** An answer of the management API. */
export interface ClerkAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** Somebody on the shop's staff, who manages payments behind the shop's own login. */
export interface Clerk {
  readonly id: string;
  /** The shop's login. @param password @defaultValue the right one */
  signIn(password?: string): Promise<Response>;
  /** Asks with a token; without one signs in first, as each serves for one rotation. */
  ask(
    path: string,
    fields?: Readonly<Record<string, string>>,
    token?: string,
  ): Promise<ClerkAnswer>;
}

/** Hires somebody with one role. @param proxied what the shop's proxy adds to each request */
export async function hireClerk(
  shop: OpenShop,
  role: string,
  proxied: Readonly<Record<string, string>> = {},
): Promise<Clerk> {
  const name = `${role}-${randomBytes(4).toString('hex')}`;
  const right = randomBytes(12).toString('hex');
  const { id } = await createStaffMember(shop.database, { name, password: right, roles: [role] });
  const signIn = (password = right): Promise<Response> =>
    fetch(`${shop.url}/staff/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password }),
    });
  return {
    id,
    signIn,
    async ask(path, fields, token) {
      const bearer = token ?? (await tokenIn(await signIn()));
      const response = await fetch(`${shop.url}/admin/payments${path}`, {
        headers: { ...proxied, authorization: `Bearer ${bearer}`, 'user-agent': 'Clerk/1.0' },
        ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
      });
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as Json };
    },
  };
}

/** The token that a login gave. */
export async function tokenIn(login: Response): Promise<string> {
  if (login.status !== 200) throw new Error(`The login answered ${login.status}.`);
  return ((await login.json()) as { access_token: string }).access_token;
}

/** The code of a refusal. */
export function codeIn(body: Json): unknown {
  return (body['error'] as Json | undefined)?.['code'];
}
