import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticator, PaymountError } from 'paymount';

/**
 * Accepts this token as that of an admin who has just signed in. The tokens of the shop's own staff
 * expire after 15 minutes and work for one rotation. Programs that try the whole management API
 * need one that lasts.
 */
export function demoAdmin(token: string): Authenticator {
  const expected = sha256(token);
  return async ({ headers }, now) => {
    const [, sent = ''] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(sha256(sent), expected)) {
      throw new PaymountError('admin_unauthenticated', 'Send the token of .paymount/demo.json.');
    }
    return {
      id: 'demo',
      displayName: 'Whoever has the demo’s file',
      roles: ['admin'],
      accounts: 'all',
      environments: ['live', 'test'],
      authTime: now,
      via: 'demo',
    };
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
