import type { LogFacts, Logger } from '../kernel/basics/logger.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { HookError } from './change.ts';
import { hookFailure } from './hook-failure.ts';

/**
 * Makes the error for a caller who decided a result and can ask again, and logs the reason.
 * @param told object, a sentence that says what happens now, and further fields of the log line
 * @returns PaymountError `hook_refused`, or `hook_missing` if this process has no hook; other
 *   errors than a failure of the hook are returned unchanged
 */
export function hookRefusal(
  error: unknown,
  logger: Logger,
  told: { readonly object: string; readonly consequence: string; readonly facts: LogFacts },
): unknown {
  if (!HookError.is(error)) return error;
  const { facts, sentence } = hookFailure(error, told.object, told.consequence);
  logger.error({ ...told.facts, ...facts }, sentence);
  const code = error.isMissing ? 'hook_missing' : 'hook_refused';
  return new PaymountError(code, undefined, { cause: error });
}
