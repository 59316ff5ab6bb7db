import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MerchantUser } from './merchants.ts';

/** A login of one user in one browser. */
export interface MerchantSession {
  readonly id: string;
  readonly user: MerchantUser;
  readonly loggedInAt: Date;
}

const COOKIE = 'shop_session';

/**
 * The sessions of merchants' users. They exist only in this process, so a restart logs everyone out;
 * several processes would keep them in the database.
 */
export class MerchantSessions {
  readonly #sessions = new Map<string, MerchantSession>();

  /** Logs a user in. @returns the header `Set-Cookie` */
  begin(user: MerchantUser): string {
    const id = randomBytes(32).toString('base64url');
    this.#sessions.set(id, { id, user, loggedInAt: new Date() });
    // On the internet it would be `Secure` too, and called `__Host-shop_session`.
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
  }

  /** The session of a browser. */
  find({ headers }: IncomingMessage): MerchantSession | undefined {
    const pairs = (headers.cookie ?? '').split(/; */);
    const id = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  /** Logs a browser out. */
  end(request: IncomingMessage): void {
    const session = this.find(request);
    if (session !== undefined) this.#sessions.delete(session.id);
  }
}
