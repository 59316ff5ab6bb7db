import { hasMadeKey } from '@paymount/auth';
import { isError, type Logger } from '@paymount/core/kernel';
import type { Parts } from '../parts/parts.ts';
import type { Context } from './context.ts';
import { UsageError } from './terminal.ts';
import { withStorage } from './with-storage.ts';

/**
 * Runs a command with all that the options of `--config` describe: hook, fees and processors.
 * Standard output belongs to the result, so that the log goes to the remarks.
 * @throws UsageError without `--config`, or without the keys that the app seals with
 */
export async function withPaymount<Result>(
  context: Context,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const options = await context.options();
  if (options.sealingKeys === undefined && !(await hasMadeKey())) await refuseKeyless(context);
  // No other command needs so much code.
  const { createPaymount, partsOf } = await import('../paymount.ts');
  const paymount = await createPaymount({ ...options, logger: remarksOf(context) });
  try {
    return await work(partsOf(paymount));
  } finally {
    await paymount.close();
  }
}

/** A key of our own making would open nothing, and lie in a folder where nobody expects it. */
async function refuseKeyless(context: Context): Promise<never> {
  const counts = await withStorage(await context.settings(), ({ sealed }) => sealed.counts());
  const kids = [...new Set(counts.map(({ kid }) => JSON.stringify(kid)))].sort();
  const needed = kids.length === 0 ? '' : `: what is stored was sealed by ${kids.join(', ')}`;
  throw new UsageError(
    `The options of --config have no sealingKeys, and this folder has no .paymount/keys. Pass the keys that your app uses${needed}.`,
  );
}

function remarksOf(context: Context): Logger {
  const remark: Logger['warn'] = ({ err }, message) =>
    context.remark(isError(err) ? `${message} ${err.message}` : message);
  return { debug: () => undefined, info: () => undefined, warn: remark, error: remark };
}
