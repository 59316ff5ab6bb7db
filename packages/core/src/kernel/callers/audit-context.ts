import type { RequestId } from '../basics/id.ts';

/** Who caused a change, and how that is known. */
export interface AuditContext {
  readonly actor: {
    readonly type: 'admin' | 'key' | 'host' | 'command' | 'system';
    /** The admin's id, the key's id, or a name that the host or the command gave. */
    readonly id: string;
  };
  /** How the actor was known: `jwt`, `session`, `mtls`, `key`, `host`, `cli`, `github`, `request`. */
  readonly via: string;
  readonly ip?: string;
  /** At most 512 characters. */
  readonly userAgent?: string;
  readonly requestId?: RequestId;
}
