import type { RequestId } from '../basics/id.ts';

/** Who made a change, and how they were authenticated. */
export interface AuditContext {
  readonly actor: {
    readonly type: 'admin' | 'key' | 'host' | 'command' | 'system';
    /** The admin's id, the key's id, or a name that the host or the command passed. */
    readonly id: string;
  };
  /**
   * How the actor was authenticated: `jwt`, `session`, `mtls`, `key`, `host`, `cli`, `github`,
   * `request`.
   */
  readonly via: string;
  readonly ip?: string;
  /** At most 512 characters. */
  readonly userAgent?: string;
  readonly requestId?: RequestId;
}
