import type { RequestId } from '../basics/id.ts';

/** Longer user agents are cut. */
export const MAX_USER_AGENT = 512;

/** Who made a change, and how they were authenticated. */
export interface AuditContext {
  readonly actor: {
    readonly type: 'admin' | 'key' | 'platform' | 'user' | 'host' | 'command' | 'system';
    /** The id of the admin, the key, the platform or the host's user, or a name that the host or the command passed. */
    readonly id: string;
  };
  /**
   * How the actor was authenticated: `jwt`, `session`, `mtls`, `key`, `token`, `client`, `host`,
   * `cli`, `github`, `request`, `worker`.
   */
  readonly via: string;
  readonly ip?: string;
  /** At most `MAX_USER_AGENT` characters. */
  readonly userAgent?: string;
  readonly requestId?: RequestId;
}
