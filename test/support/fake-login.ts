import type { IncomingMessage } from 'node:http';
import type { HostUser, Identity, LoginHint } from 'paymount';

/** A host's login: the cookie `session` names one of its sessions. */
export interface FakeLogin {
  readonly identity: Identity;
  /** Why browsers were sent to the login, in order. */
  readonly visits: { readonly returnTo: string; readonly hint: LoginHint }[];
  /** Logs a user in. @returns the header `Cookie` of that session */
  logIn(hostUser: Partial<HostUser>): string;
  logOut(): void;
}

/** A login without sessions. */
export function fakeLogin(): FakeLogin {
  const sessions = new Map<string, HostUser>();
  const visits: FakeLogin['visits'] = [];
  let number = 0;
  return {
    visits,
    identity: {
      current: async ({ headers }: IncomingMessage) =>
        sessions.get(/(?:^|; )session=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? '') ?? null,
      loginUrl(returnTo, hint) {
        visits.push({ returnTo, hint });
        return `/login?${new URLSearchParams({ returnTo })}`;
      },
    },
    logIn(hostUser) {
      number += 1;
      const sessionRef = `s${number}`;
      sessions.set(sessionRef, {
        userId: 'user-1',
        displayName: 'Ada Merchant',
        sessionRef,
        accounts: [],
        authTime: new Date('2026-11-21T12:00:00Z'),
        ...hostUser,
      });
      return `session=${sessionRef}`;
    },
    logOut: () => sessions.clear(),
  };
}
