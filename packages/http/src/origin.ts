import type { IncomingMessage } from 'node:http';

/** Longer ones are cut; nothing that reads them needs more. */
const MAX_USER_AGENT = 512;

/** Where a request came from, as audit entries keep it; what is not known is left out. */
export interface Origin {
  readonly ip?: string;
  /** At most 512 characters. */
  readonly userAgent?: string;
}

/** The origin of a request. @param ip of the client; undefined when it cannot be told */
export function originOf({ headers }: IncomingMessage, ip: string | undefined): Origin {
  const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT);
  return { ...(ip === undefined ? {} : { ip }), ...(userAgent ? { userAgent } : {}) };
}
