import type { Logger } from '@paymount/core';
import type { Parts } from '../parts.ts';
import type { Context } from './context.ts';

/**
 * Runs a command with all that the options of `--config` describe: hook, fees and processors.
 * Standard output belongs to the result, so that the log goes to the remarks.
 * @throws UsageError without `--config`
 */
export async function withPaymount<Result>(
  context: Context,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const options = await context.options();
  // No other command needs so much code.
  const { createPaymount, partsOf } = await import('../paymount.ts');
  const paymount = await createPaymount({ ...options, logger: remarksOf(context) });
  try {
    return await work(partsOf(paymount));
  } finally {
    await paymount.close();
  }
}

function remarksOf(context: Context): Logger {
  const remark: Logger['warn'] = ({ err }, message) =>
    context.remark(err instanceof Error ? `${message} ${err.message}` : message);
  return { debug: () => undefined, info: () => undefined, warn: remark, error: remark };
}
