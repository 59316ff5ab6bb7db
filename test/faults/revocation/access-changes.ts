import { parseId } from '@paymount/core/kernel';
import type { Paymount } from 'paymount';
import { partsOf } from '../../../packages/paymount/src/paymount.ts';
import { connectPlatform } from '../../support/connect-platform.ts';

/** The ways to take access away; each is refused by another check of the guard. */
export const KINDS = [
  ...(['revoke', 'revoke grant', 'expire', 'cut scopes', 'disable platform'] as const),
  ...(['tie to addresses', 'suspend'] as const),
] as const;
export type Kind = (typeof KINDS)[number];

/** A key or an access token that works, and how it will stop to. */
export interface Subject {
  readonly kind: Kind;
  readonly account: string;
  /** What the change names: a key, a grant or a platform. */
  readonly id: string;
  readonly secret: string;
}

/** An address that none of the servers is asked from. */
const ELSEWHERE = '192.0.2.0/24';

/** Makes a key, or the token of a platform, with an account of its own. */
export async function makeSubject(paymount: Paymount, kind: Kind): Promise<Subject> {
  const { id: account } = await paymount.accounts.create({
    name: 'Revocation shop',
    country: 'DE',
    default_currency: 'eur',
  });
  if (kind === 'revoke grant' || kind === 'disable platform') {
    const { grant, platform, accessToken } = await connectPlatform(paymount, account);
    return { kind, account, id: kind === 'revoke grant' ? grant : platform, secret: accessToken };
  }
  const { id, secret } = await paymount.keys.create({
    account,
    livemode: false,
    name: kind,
    ...(kind === 'cut scopes'
      ? { type: 'restricted', scopes: ['charges:read', 'charges:write'] }
      : { type: 'secret' }),
  });
  return { kind, account, id, secret };
}

/** Takes its access away; fulfilled when the commit was acknowledged. */
export async function endAccess(paymount: Paymount, subject: Subject): Promise<void> {
  const { keys, accounts, platforms } = paymount;
  switch (subject.kind) {
    case 'revoke':
      await keys.revoke(subject.id, { reason: 'owner' });
      return;
    case 'revoke grant': {
      const id = parseId('grt', subject.id);
      if (id !== undefined) await partsOf(paymount).grants.revoke(id, 'admin');
      return;
    }
    case 'disable platform':
      await platforms.disable(subject.id);
      return;
    case 'expire':
      await keys.update(subject.id, { expires_at: new Date(0).toISOString() });
      return;
    case 'cut scopes':
      await keys.update(subject.id, { scopes: ['charges:write'] });
      return;
    case 'tie to addresses':
      await keys.update(subject.id, { allowed_ips: [ELSEWHERE], confirm_lockout: true });
      return;
    case 'suspend':
      await accounts.suspend(subject.account);
  }
}
