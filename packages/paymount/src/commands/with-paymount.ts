import { hasMadeKey } from '@paymount/auth';
import { type CliContext, usage } from '@paymount/cli';
import { isError, type Logger } from '@paymount/core/kernel';
import type { Parts } from '../parts/parts.ts';
import { readOptions, readSettings } from './settings.ts';
import { withStorage } from './with-storage.ts';

/**
 * Runs a command with all that the options of `--config` describe: hook, fees and processors.
 * Standard output belongs to the result, so that the log goes to the remarks.
 * @throws CommandFailure without `--config`, or without the keys that the app seals with
 */
export async function withPaymount<Result>(
  context: CliContext,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const options = await readOptions(context);
  if (options.sealingKeys === undefined && !(await hasMadeKey())) await assertKeys(context);
  // No other command needs so much code.
  const { createPaymount, partsOf } = await import('../paymount.ts');
  const paymount = await createPaymount({ ...options, logger: toLogger(context) });
  try {
    return await work(partsOf(paymount));
  } finally {
    await paymount.close();
  }
}

/** A generated key would open nothing, and be stored in a folder where nobody expects it. */
async function assertKeys(context: CliContext): Promise<never> {
  const counts = await withStorage(await readSettings(context), ({ sealed }) => sealed.counts());
  const kids = [...new Set(counts.map(({ kid }) => JSON.stringify(kid)))].sort();
  const needed = kids.length === 0 ? '' : `: what is stored was sealed by ${kids.join(', ')}`;
  throw usage(
    `The options of --config have no sealingKeys, and this folder has no .paymount/keys. Pass the keys that your app uses${needed}.`,
  );
}

function toLogger(context: CliContext): Logger {
  const write: Logger['warn'] = ({ err }, message) =>
    context.printNote(isError(err) ? `${message} ${err.message}` : message);
  return { debug: () => undefined, info: () => undefined, warn: write, error: write };
}
