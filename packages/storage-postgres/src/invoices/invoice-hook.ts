import type { InvoiceHookRepository } from '@paymount/core/billing';
import { HookError } from '@paymount/core/changes';
import type { HostHook } from '../changes/execute-change.ts';
import type { Session } from '../transaction/session.ts';

/** The host's hook, before an invoice gets its number: in a savepoint of the transaction that issues it. */
export function invoiceHook(session: Session, hook: HostHook | undefined): InvoiceHookRepository {
  return {
    async finalizing(invoice) {
      if (hook === undefined) return undefined;
      const { open } = session;
      if (open === undefined) throw new Error('An invoice is issued in a transaction.');
      let answer: unknown;
      try {
        await open.savepoint((_, savepoint) =>
          savepoint.runHook(async (trx) => {
            answer = await hook(trx, { kind: 'invoice', event: 'finalizing', invoice });
          }),
        );
      } catch (cause) {
        throw new HookError('The hook of the host failed; nothing was committed.', { cause });
      }
      return answer;
    },
  };
}
