import { type CliContext, EXIT, table } from '@paymount/cli';
import { SchemaError } from '@paymount/core/kernel';
import type { Finding } from '@paymount/core/store';
import { describeFailure } from '../describe-failure.ts';
import { readOutside, readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';
import { examine } from './examine.ts';
import { examineProxy } from './examine-proxy.ts';
import { examineRedis } from './examine-redis.ts';

/**
 * `paymount doctor`: looks at everything that an installation depends on, and says what to do;
 * exits with 1 if there is a problem.
 */
export async function doctorCommand(context: CliContext): Promise<number> {
  const settings = await readSettings(context);
  const { redis, proxy } = await readOutside(context);
  const keys = { ...settings, hasOptions: context.config !== undefined };
  const stored = await withStorage(settings, (stores) => examine(stores, keys)).catch((error) => [
    notOpened(error),
  ]);
  const findings = [...stored, ...(await examineRedis(redis)), ...(await examineProxy(proxy))];
  const rows = findings.map(({ verdict, subject, message }) => [verdict, subject, message]);
  const isWell = findings.every(({ verdict }) => verdict !== 'problem');
  context.report({ ok: isWell, findings }, table(['VERDICT', 'SUBJECT', 'MESSAGE'], rows));
  return isWell ? EXIT.done : EXIT.failed;
}

/** The same sentence as at startup; a wrong command line is thrown before. */
function notOpened(error: unknown): Finding {
  const subject = SchemaError.is(error) ? 'schema' : 'database';
  return { subject, verdict: 'problem', message: describeFailure(error).message };
}
