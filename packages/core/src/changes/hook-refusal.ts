import type { LogFacts, Logger } from '../kernel/basics/logger.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { HookError } from './change.ts';
import { hookFailure } from './hook-failure.ts';

/**
 * Makes the error of somebody who decided a result and can ask again, and logs why.
 * @param told the charge, what happens now as a sentence, and further facts of the line
 * @returns PaymountError `hook_refused`; what is no failure of the hook as it is
 */
export function hookRefusal(
  error: unknown,
  logger: Logger,
  told: { readonly charge: string; readonly consequence: string; readonly facts: LogFacts },
): unknown {
  if (!HookError.is(error)) return error;
  const { facts, sentence } = hookFailure(error, told.charge, told.consequence);
  logger.error({ ...told.facts, ...facts }, sentence);
  return new PaymountError('hook_refused', undefined, { cause: error });
}
