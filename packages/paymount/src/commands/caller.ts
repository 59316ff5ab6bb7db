import { userInfo } from 'node:os';
import type { AuditContext } from '@paymount/core/kernel';

/** Who a command acts as: the operator's name on this machine. */
export function commandCaller(): { readonly by: AuditContext } {
  return { by: { actor: { type: 'command', id: operator() }, via: 'cli' } };
}

/** A container may run under a user id that has no name. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
