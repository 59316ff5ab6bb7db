import { type SealingKeys, SecretBox, toSealingKeys } from '@paymount/auth';
import { type CliContext, EXIT, usage } from '@paymount/cli';
import { errorMessage, type SealedCount, type SealedTable } from '@paymount/core/kernel';
import { systemClock } from '../../adapters/system-clock.ts';
import { missingKeys } from '../../parts/stored-secrets.ts';
import { commandCaller } from '../caller.ts';
import { readSettings, type Settings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';
import { type Rewrapped, rewrap } from './secrets-rewrap.ts';

const NOUNS: Readonly<Record<SealedTable, string>> = {
  bank_accounts: 'bank account number',
  endpoint_secrets: 'signing secret',
  idempotency_keys: 'stored answer',
  installation_secrets: 'installation secret',
  payment_methods: 'number of a debited bank account',
  refresh_tokens: 'token pair',
  tokens: 'number in a bank token',
};
const SHOWN_BROKEN = 20;
const BAR_WIDTH = 30;

/**
 * `paymount secrets list`: how many secrets each key sealed; exits with 1 if a key is missing or
 * wrong.
 */
export async function listSecretsCommand(context: CliContext): Promise<number> {
  const settings = await readSettings(context);
  const ring = settings.sealingKeys === undefined ? undefined : requireSealingKeys(settings);
  const { counts, closed } = await withStorage(settings, async ({ sealed }) => ({
    counts: await sealed.counts(),
    closed: ring && (await missingKeys({ sealed, ring, sealer: new SecretBox(ring) })),
  }));
  const keys = await Promise.all(
    byKid(counts).map(async ([kid, of]) => ({
      kid,
      sealed: Object.fromEntries(of.map(({ table, count }) => [table, count])),
      status: ring && closed ? await findStatus(kid, ring, closed) : null,
      line: `${kid}  ${describeCounts(of)}`,
    })),
  );
  context.report(
    { keys: keys.map(({ kid, sealed, status }) => ({ kid, sealed, status })) },
    keys.map(({ line, status }) => (status === null ? line : `${line}  ${status}`)),
  );
  return closed !== undefined && closed.length > 0 ? EXIT.failed : EXIT.done;
}

/** `paymount secrets rewrap`: exits with 1 if secrets sealed by other keys are left. */
export async function rewrapSecretsCommand(context: CliContext): Promise<number> {
  const settings = await readSettings(context);
  const ring = requireSealingKeys(settings);
  const result = await withStorage(settings, ({ sealed, access }) =>
    rewrap(
      { sealed, access, ring, sealer: new SecretBox(ring), ...commandCaller() },
      (done, total) => context.progress?.(bar(done, total)),
    ),
  ).finally(() => context.progress?.(''));
  const { kid, done, broken, left, missing, wrong } = result;
  context.report(
    {
      kid,
      done,
      broken: broken.slice(0, SHOWN_BROKEN).map(({ table, key }) => ({ table, key })),
      left,
      missing,
      wrong,
    },
    toLines(result),
  );
  return left.length === 0 ? EXIT.done : EXIT.failed;
}

function toLines({ kid, done, broken, left, ...not }: Rewrapped): string[] {
  const lines = byKid(done.filter(({ count }) => count > 0)).map(
    ([old, of]) => `sealed by ${kid} now, by ${old} before: ${describeCounts(of)}`,
  );
  for (const { context } of broken.slice(0, SHOWN_BROKEN)) lines.push(`does not open: ${context}`);
  for (const [old, of] of byKid(left)) {
    lines.push(
      `${old} is still needed by ${describeCounts(of)}; ${describeCure(old, { broken, ...not })}.`,
    );
  }
  for (const [old] of byKid(done)) {
    if (left.some((count) => count.kid === old)) continue;
    lines.push(`Nothing needs ${old} any more: drop it from sealingKeys.`);
  }
  return lines.length > 0 ? lines : [`Everything is sealed by ${kid} already.`];
}

function describeCure(
  kid: string,
  { missing, wrong, broken }: Pick<Rewrapped, 'missing' | 'wrong' | 'broken'>,
): string {
  if (missing.includes(kid)) {
    return 'it is not among the keys: pass it after the newest one, and run this again';
  }
  if (wrong.includes(kid)) {
    return `the key that you passed as ${kid} opens nothing of it, so its bytes are wrong: pass the right ones, and run this again`;
  }
  if (broken.some((row) => row.kid === kid))
    return 'secrets that cannot be opened must be created again';
  return 'a process may still seal with it: run this again once none does';
}

type KeyStatus = 'newest' | 'kept' | 'missing' | 'wrong';

/** @param closed keys with secrets that the ring cannot open */
async function findStatus(
  kid: string,
  ring: SealingKeys,
  closed: readonly string[],
): Promise<KeyStatus> {
  if ((await ring.byKid(kid)) === undefined) return 'missing';
  if (closed.includes(kid)) return 'wrong';
  return (await ring.current()).kid === kid ? 'newest' : 'kept';
}

/** @throws UsageError if there are no keys, or a key is not valid */
function requireSealingKeys({ sealingKeys }: Settings): SealingKeys {
  if (sealingKeys === undefined) {
    throw usage(
      'No sealing keys: set PAYMOUNT_KEYS to name:base64 pairs, newest first, or pass --config.',
    );
  }
  try {
    return toSealingKeys(sealingKeys, systemClock);
  } catch (cause) {
    throw usage(errorMessage(cause), { cause });
  }
}

function byKid(counts: readonly SealedCount[]): readonly [kid: string, of: SealedCount[]][] {
  const kids = [...new Set(counts.map(({ kid }) => kid))].sort();
  return kids.map((kid) => [kid, counts.filter((count) => count.kid === kid)]);
}

function describeCounts(counts: readonly Pick<SealedCount, 'table' | 'count'>[]): string {
  return counts
    .map(({ table, count }) => `${count} ${NOUNS[table]}${count === 1 ? '' : 's'}`)
    .join(', ');
}

function bar(done: number, total: number): string {
  const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * done) / Math.max(1, total)));
  return `[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done} of ${total}`;
}
