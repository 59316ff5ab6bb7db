import { userInfo } from 'node:os';
import { type AuditContext, type Call, newId, type Owner } from '@paymount/core/kernel';

/** What the lists of operators show: every account, in both environments. */
export const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;
/** The rows of a page of such a list. */
export const PAGE = 100;

/** Who a command acts as: the operator's name on this machine. */
export function commandCaller(): { readonly by: AuditContext } {
  return { by: { actor: { type: 'command', id: operator() }, via: 'cli' } };
}

/** The call of a command for an account: it may do all, and the audit log names the operator. */
export function callFor({ accountId, environment }: Owner): Call {
  const requestId = newId('req');
  return {
    principal: { kind: 'host', accountId, environment, scopes: 'all' },
    requestId,
    audit: { ...commandCaller().by, requestId },
  };
}

/** A container may run under a user id that has no name. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
