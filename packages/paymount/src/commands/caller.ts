import { userInfo } from 'node:os';
import type { Caller } from '@paymount/auth';

/** Who a command acts as: the operator's name on this machine. */
export function commandCaller(): Pick<Caller<never>, 'by'> {
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
