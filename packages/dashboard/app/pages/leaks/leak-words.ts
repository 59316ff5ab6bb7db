import type { Leak } from '../../api/resources.ts';

export const KINDS: Readonly<Record<Leak['credential']['kind'], string>> = {
  key: 'Key',
  signing_secret: 'Signing secret',
  grant: 'Token of an application',
};

export const ACTIONS: Readonly<Record<Leak['action'], string>> = {
  revoked: 'It was revoked',
  notified: 'You were told; it still works',
  already_revoked: 'Nothing: it was revoked before',
};
