import { type CliContext, EXIT } from '@paymount/cli';
import { type AuditFault, type AuditHead, toAuditResource } from '@paymount/core/changes';
import { systemClock } from '../../adapters/system-clock.ts';
import { EVERYTHING } from '../caller.ts';
import { parseAccountId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { parseMoment } from '../time-flags.ts';
import { withStorage } from '../with-storage.ts';
import { HEAD_OF_NO_ACCOUNT, readHeads } from './audit-heads.ts';

const REWRITTEN =
  'Kept heads give one entry two hashes: the log was rewritten between the runs that printed them, ' +
  'or a file of heads was. See docs/reference/audit.md#kept-heads-that-contradict-each-other.';

export interface AuditVerifyFlags {
  readonly account?: string;
  /** A file with the output of an earlier run. */
  readonly heads?: string;
}

/**
 * `paymount audit verify`: prints the heads, which you keep elsewhere; exits with 1 if an entry is
 * wrong.
 */
export async function verifyAuditCommand(
  context: CliContext,
  flags: AuditVerifyFlags,
): Promise<number> {
  const account = flags.account === undefined ? undefined : parseAccountId(flags.account);
  const kept = flags.heads === undefined ? [] : await readHeads(flags.heads);
  const { entries, heads, faults } = await withStorage(
    await readSettings(context),
    async (storage) => {
      if (account !== undefined) await requireAccount(storage, account);
      return storage.directory.audit.verify(account, kept);
    },
  );
  const whole = faults.length === 0;
  context.report({ whole, entries, heads: heads.map(headJson), faults: faults.map(faultJson) }, [
    ...faults.map(faultLine),
    ...heads.map(headLine),
  ]);
  if (faults.some(({ found }) => found === 'contradicted')) context.printNote(REWRITTEN);
  context.printNote(`Entries: ${entries}. Chains: ${heads.length}. Faults: ${faults.length}.`);
  return whole ? EXIT.done : EXIT.failed;
}

export interface AuditExportFlags {
  readonly account?: string;
  readonly since?: string;
}

/** `paymount audit export`: one JSON object per line, each chain oldest first. */
export async function exportAuditCommand(
  context: CliContext,
  { account: text, since }: AuditExportFlags,
): Promise<number> {
  const account = text === undefined ? undefined : parseAccountId(text);
  const now = systemClock.now();
  const filter = {
    ...(account === undefined ? {} : { account }),
    ...(since === undefined
      ? {}
      : { created: { gte: parseMoment('--since', since, { now, fromNow: -1 }) } }),
  };
  await withStorage(await readSettings(context), async (storage) => {
    if (account !== undefined) await requireAccount(storage, account);
    for await (const record of storage.directory.audit.export(EVERYTHING, filter)) {
      context.print(JSON.stringify(toAuditResource(record)));
    }
  });
  return EXIT.done;
}

function headJson({ accountId, seq, hash }: AuditHead): object {
  return { account: accountId ?? null, seq: Number(seq), hash };
}

function faultJson({ accountId, seq, ...rest }: AuditFault): object {
  return { account: accountId ?? null, seq: Number(seq), ...rest };
}

function headLine({ accountId, seq, hash }: AuditHead): string {
  return `${accountId ?? HEAD_OF_NO_ACCOUNT} ${seq} ${hash}`;
}

function faultLine(fault: AuditFault): string {
  const { accountId, seq, found } = fault;
  const kept = found === 'contradicted' ? `: kept heads say ${fault.kept.join(' and ')}` : '';
  return `fault: ${accountId ?? HEAD_OF_NO_ACCOUNT} ${seq} is ${found}${kept}`;
}
