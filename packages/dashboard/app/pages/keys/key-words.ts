import type { Key } from '../../api/resources.ts';

export const KEY_TYPES: Readonly<Record<Key['type'], string>> = {
  secret: 'Secret',
  restricted: 'Restricted',
  publishable: 'Publishable',
};

export const TYPE_MEANINGS: Readonly<Record<Key['type'], string>> = {
  restricted: 'For a server. It may do only what you choose here.',
  secret: 'For a server. It may do everything with this account.',
  publishable: 'For pages and apps. It may only make tokens and payment methods.',
};

const SOON_MS = 14 * 86_400_000;

/** The status of a key, in which it also shows that it will end soon. */
export function statusOf(key: Key): string {
  if (key.status !== 'active') return key.status;
  if (key.expires_at === null) return 'active';
  return Date.parse(key.expires_at) - Date.now() < SOON_MS ? 'expiring' : 'active';
}
