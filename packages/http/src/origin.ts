import type { IncomingMessage } from 'node:http';
import { MAX_USER_AGENT } from '@paymount/core/kernel';

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
