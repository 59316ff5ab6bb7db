import { KeyProviderError } from '@paymount/auth';
import { PaymountError } from '@paymount/core/kernel';
import { describeNoConnection } from '../options/postgres-storage.ts';
import { warnOfMissingHook } from './hook-announcement.ts';
import type { Parts } from './parts.ts';
import { assertSecretsOpen } from './stored-secrets.ts';

/**
 * Checks at startup that this process can serve requests, and warns if it cannot run a worker.
 * @throws SchemaError, DatabaseError, or Error about sealed secrets, each says what to do
 */
export async function assertReady(parts: Parts): Promise<void> {
  const { stores, fingerprintKey, invoiceLinks } = parts;
  try {
    await stores.assertSchema();
    await warnOfNoWorker(parts);
    await stores.warm();
    const source = { ...parts, sealed: stores.sealed };
    await assertSecretsOpen(source);
    await fingerprintKey.open(source);
    await invoiceLinks.open(source);
    await warnOfMissingHook(parts);
  } catch (error) {
    throw whyNotReady(error);
  }
}

/** This may be intended: a role that only serves requests needs no right to create tables. */
async function warnOfNoWorker({ stores, logger }: Parts): Promise<void> {
  const reason = await stores.deliveries.whyNoPartitions();
  if (reason === undefined) return;
  logger.warn({ reason }, 'This process can serve requests, but cannot start a worker.');
}

/** Merchants get `unavailable`; the operator gets the cause. */
function whyNotReady(error: unknown): unknown {
  const isLost = PaymountError.is(error) && error.code === 'unavailable';
  return isLost && !KeyProviderError.is(error.cause) ? describeNoConnection(error) : error;
}
