import type { Paymount } from 'paymount';

/** The ways to take access away; each is refused by another check of the guard. */
export const KINDS = ['revoke', 'expire', 'cut scopes', 'tie to addresses', 'suspend'] as const;
export type Kind = (typeof KINDS)[number];

/** A key that works, and how it will stop to. */
export interface Subject {
  readonly kind: Kind;
  readonly account: string;
  readonly keyId: string;
  readonly secret: string;
}

/** An address that none of the servers is asked from. */
const ELSEWHERE = '192.0.2.0/24';

/** Makes a key with an account of its own. */
export async function makeSubject(paymount: Paymount, kind: Kind): Promise<Subject> {
  const { id: account } = await paymount.accounts.create({
    name: 'Revocation shop',
    country: 'DE',
    default_currency: 'eur',
  });
  const { id: keyId, secret } = await paymount.keys.create({
    account,
    livemode: false,
    name: kind,
    ...(kind === 'cut scopes'
      ? { type: 'restricted', scopes: ['charges:read', 'charges:write'] }
      : { type: 'secret' }),
  });
  return { kind, account, keyId, secret };
}

/** Takes its access away; fulfilled when the commit was acknowledged. */
export async function endAccess(paymount: Paymount, subject: Subject): Promise<void> {
  const { keys, accounts } = paymount;
  switch (subject.kind) {
    case 'revoke':
      await keys.revoke(subject.keyId, { reason: 'owner' });
      return;
    case 'expire':
      await keys.update(subject.keyId, { expires_at: new Date(0).toISOString() });
      return;
    case 'cut scopes':
      await keys.update(subject.keyId, { scopes: ['charges:write'] });
      return;
    case 'tie to addresses':
      await keys.update(subject.keyId, { allowed_ips: [ELSEWHERE], confirm_lockout: true });
      return;
    case 'suspend':
      await accounts.suspend(subject.account);
  }
}
