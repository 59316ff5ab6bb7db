import { loadSealingKeys, type SealingKeys, SecretBox } from '@paymount/auth';
import { PaymountError } from '@paymount/core';
import type { SealedCount, SealedTable } from '@paymount/storage-postgres';
import { systemClock } from '../adapters/system-clock.ts';
import type { Context } from './context.ts';
import { type Rewrapped, rewrap } from './secrets-rewrap.ts';
import type { Settings } from './settings.ts';
import { EXIT, UsageError } from './terminal.ts';
import { withStorage } from './with-storage.ts';

const NOUNS: Readonly<Record<SealedTable, string>> = {
  endpoint_secrets: 'signing secret',
  idempotency_keys: 'stored answer',
  installation_secrets: 'installation secret',
};
const SHOWN_BROKEN = 20;
const BAR_WIDTH = 30;

/** `paymount secrets list`: which keys seal how much; exit 1 when one of them is missing. */
export async function listSecretsCommand(context: Context): Promise<number> {
  const settings = await context.settings();
  const ring = settings.sealingKeys === undefined ? undefined : await ringOf(settings);
  const counts = await withStorage(settings, ({ sealed }) => sealed.counts());
  const keys = await Promise.all(
    [...Map.groupBy(counts, ({ kid }) => kid)].map(async ([kid, of]) => ({
      kid,
      sealed: Object.fromEntries(of.map(({ table, count }) => [table, count])),
      status: ring === undefined ? null : await statusOf(kid, ring),
      line: `${kid}  ${said(of)}`,
    })),
  );
  context.report(
    { keys: keys.map(({ kid, sealed, status }) => ({ kid, sealed, status })) },
    keys.map(({ line, status }) => (status === null ? line : `${line}  ${status}`)),
  );
  return keys.some(({ status }) => status === 'missing') ? EXIT.failed : EXIT.done;
}

/** `paymount secrets rewrap`: exit 1 when anything is left that other keys sealed. */
export async function rewrapSecretsCommand(context: Context): Promise<number> {
  const settings = await context.settings();
  const ring = await ringOf(settings);
  const result = await withStorage(settings, ({ sealed }) =>
    rewrap({ sealed, ring, sealer: new SecretBox(ring) }, (done, total) =>
      context.progress?.(bar(done, total)),
    ),
  ).finally(() => context.progress?.(''));
  const { kid, done, broken, left } = result;
  context.report(
    {
      kid,
      done,
      broken: broken.slice(0, SHOWN_BROKEN).map(({ table, key }) => ({ table, key })),
      left,
    },
    linesOf(result),
  );
  return left.length === 0 ? EXIT.done : EXIT.failed;
}

function linesOf({ kid, done, broken, left }: Rewrapped): string[] {
  const lines = done.map(
    ({ kid: old, ...of }) => `${said([of])} of ${old} are sealed by ${kid} now.`,
  );
  for (const { context } of broken.slice(0, SHOWN_BROKEN)) lines.push(`does not open: ${context}`);
  const isLeft = new Set(left.map((count) => count.kid));
  for (const [old, of] of Map.groupBy(left, (count) => count.kid)) {
    lines.push(
      `${said(of)} are still sealed by ${old}: keep it. If it is in the ring, a process still ` +
        'seals with it; run this again once none does.',
    );
  }
  for (const old of new Set(done.map((count) => count.kid))) {
    if (!isLeft.has(old)) lines.push(`Nothing needs ${old} any more: drop it from sealingKeys.`);
  }
  return lines.length > 0 ? lines : [`Everything is sealed by ${kid} already.`];
}

function said(counts: readonly Pick<SealedCount, 'table' | 'count'>[]): string {
  return counts
    .map(({ table, count }) => `${count} ${NOUNS[table]}${count === 1 ? '' : 's'}`)
    .join(', ');
}

function bar(done: number, total: number): string {
  const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * done) / Math.max(1, total)));
  return `[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done} of ${total}`;
}
