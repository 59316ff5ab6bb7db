import type { IncomingMessage } from 'node:http';

/** The maximum length; longer ones are cut. */
const MAX_USER_AGENT = 512;

/** The origin of a request, for audit entries; unknown parts are left out. */
export interface Origin {
  readonly ip?: string;
  /** At most 512 characters. */
  readonly userAgent?: string;
}

/** The origin of a request. @param ip of the client; undefined if unknown */
export function readOrigin({ headers }: IncomingMessage, ip: string | undefined): Origin {
  const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT);
  return { ...(ip === undefined ? {} : { ip }), ...(userAgent ? { userAgent } : {}) };
}
