import { hasMadeKey } from '@paymount/auth';
import { type CliContext, usage } from '@paymount/cli';
import { isError, type Logger } from '@paymount/core/kernel';
import type { Parts } from '../parts/parts.ts';
import { readOptions, readSettings } from './settings.ts';
import { withStorage } from './with-storage.ts';

/**
 * Runs a command with all that the options of `--config` describe: hook, fees and processors.
 * Standard output is for the result, so the log goes to standard error.
 * @throws CommandFailure without `--config`, or without the app's sealing keys
 */
export async function withPaymount<Result>(
  context: CliContext,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const options = await readOptions(context);
  if (options.sealingKeys === undefined && !(await hasMadeKey())) await assertKeys(context);
  // Loaded here, because other commands do not need this code.
  const { createPaymount, partsOf } = await import('../paymount.ts');
  const paymount = await createPaymount({ ...options, logger: toLogger(context) });
  try {
    return await work(partsOf(paymount));
  } finally {
    await paymount.close();
  }
}

/** A generated key would open nothing, and would be stored in an unexpected folder. */
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
