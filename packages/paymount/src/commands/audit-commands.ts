import { type AuditFault, type AuditHead, toAuditResource } from '@paymount/core';
import { systemClock } from '../adapters/system-clock.ts';
import { HEAD_OF_NO_ACCOUNT, readHeads } from './audit-heads.ts';
import type { Context } from './context.ts';
import { accountIdOf } from './id-arguments.ts';
import { requireAccount } from './require-account.ts';
import { EXIT } from './terminal.ts';
import { momentOf } from './time-flags.ts';
import { withStorage } from './with-storage.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

export interface AuditVerifyFlags {
  readonly account?: string;
  /** What an earlier run printed. */
  readonly heads?: string;
}

/** `paymount audit verify`: prints the heads, to keep elsewhere; exit 1 when an entry is wrong. */
export async function verifyAuditCommand(
  context: Context,
  flags: AuditVerifyFlags,
): Promise<number> {
  const account = flags.account === undefined ? undefined : accountIdOf(flags.account);
  const kept = flags.heads === undefined ? [] : await readHeads(flags.heads);
  const { entries, heads, faults } = await withStorage(
    await context.settings(),
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
  context.remark(`Entries: ${entries}. Chains: ${heads.length}. Faults: ${faults.length}.`);
  return whole ? EXIT.done : EXIT.failed;
}

export interface AuditExportFlags {
  readonly account?: string;
  readonly since?: string;
}

/** `paymount audit export`: one JSON object per line, each chain oldest first. */
export async function exportAuditCommand(
  context: Context,
  { account: text, since }: AuditExportFlags,
): Promise<number> {
  const account = text === undefined ? undefined : accountIdOf(text);
  const now = systemClock.now();
  const filter = {
    ...(account === undefined ? {} : { account }),
    ...(since === undefined
      ? {}
      : { created: { gte: momentOf('--since', since, { now, fromNow: -1 }) } }),
  };
  await withStorage(await context.settings(), async (storage) => {
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

function faultJson({ accountId, seq, found }: AuditFault): object {
  return { account: accountId ?? null, seq: Number(seq), found };
}

function headLine({ accountId, seq, hash }: AuditHead): string {
  return `${accountId ?? HEAD_OF_NO_ACCOUNT} ${seq} ${hash}`;
}

function faultLine({ accountId, seq, found }: AuditFault): string {
  return `fault: ${accountId ?? HEAD_OF_NO_ACCOUNT} ${seq} is ${found}`;
}
