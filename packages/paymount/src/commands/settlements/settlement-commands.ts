import { type CliContext, EXIT, printable, table, usage } from '@paymount/cli';
import { describeMoney, missing, newId } from '@paymount/core/kernel';
import {
  type SettlementDifference,
  type SettlementDifferenceFilter,
  type SettlementDifferenceJson,
  SettlementDifferenceSettleInput,
  SettlementService,
  toSettlementDifferenceResource,
} from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { systemClock } from '../../adapters/system-clock.ts';
import { commandCaller, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId, parseSettlementDifferenceId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

/** In tables, for null. */
const NOTHING = '-';
const HEADS = ['ID', 'STATE', 'KIND', 'CREATED', 'SUBJECT', 'EXPECTED', 'FOUND', 'PROCESSOR'];

export interface SettlementDifferenceListFlags {
  readonly state: NonNullable<SettlementDifferenceFilter['state']>;
  readonly account?: string;
  readonly environment?: 'live' | 'test';
  readonly kind?: SettlementDifference['kind'];
  readonly processor?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount settlement-differences list`: a page of differences, newest first. */
export async function listSettlementDifferencesCommand(
  context: CliContext,
  flags: SettlementDifferenceListFlags,
): Promise<number> {
  const { state, environment, kind, processor, after } = flags;
  const account = flags.account === undefined ? undefined : parseAccountId(flags.account);
  const filter: SettlementDifferenceFilter = {
    state,
    ...(account && { account }),
    ...(environment && { environment }),
    ...(kind && { kind }),
    ...(processor && { processor }),
  };
  const page = { limit: PAGE, ...(after && { startingAfter: parseSettlementDifferenceId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), async (stores) => {
    if (account !== undefined) await requireAccount(stores, account);
    return stores.directory.settlementDifferences.list(EVERYTHING, filter, page);
  });
  const differences = data.map(toSettlementDifferenceResource);
  context.report(
    { settlement_differences: differences, has_more: hasMore },
    data.length === 0 ? [describeEmptyList(flags)] : table(HEADS, differences.map(toRow)),
  );
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

function describeEmptyList({ state, ...narrower }: SettlementDifferenceListFlags): string {
  if (state !== 'open') return 'There is no such settlement difference.';
  const which = Object.keys(narrower).length === 0 ? '' : 'such ';
  return `No ${which}settlement difference is open.`;
}

/** `paymount settlement-differences show`. */
export async function showSettlementDifferenceCommand(
  context: CliContext,
  id: string,
): Promise<number> {
  const difference = await withStorage(await readSettings(context), async ({ directory }) =>
    toSettlementDifferenceResource(await findDifference(directory, id)),
  );
  const facts = Object.entries(difference);
  context.report(
    difference,
    table(
      ['FIELD', 'VALUE'],
      facts.map(([name, value]) => [name, value === null ? NOTHING : String(value)]),
    ),
  );
  return EXIT.done;
}

interface SettleFlags {
  readonly expected: string;
  readonly found: string;
  readonly note: string;
}

/** `paymount settlement-differences settle`: books nothing, so it needs no options of the host. */
export async function settleSettlementDifferenceCommand(
  context: CliContext,
  text: string,
  { note, ...shown }: SettleFlags,
): Promise<number> {
  const id = parseSettlementDifferenceId(text);
  // Searched for secrets, as in the management API, because the audit log stores it.
  assertNoForbiddenTexts({ note }, { cards: true });
  const input = validateInput(SettlementDifferenceSettleInput, {
    expected:
      shown.expected === NOTHING
        ? null
        : parseShownAmount('--expected', shown.expected, `; ${NOTHING} for nothing`),
    found: parseShownAmount('--found', shown.found),
    note,
  });
  const audit = { ...commandCaller().by, requestId: newId('req') };
  const settled = await withStorage(await readSettings(context), async ({ storage }) =>
    new SettlementService({ storage, clock: systemClock }).settle({ audit }, id, input),
  );
  const { kind, state, note: kept } = settled;
  context.report(toSettlementDifferenceResource(settled), [
    `${id} (${kind}) is ${state}: ${printable(kept ?? '')}`,
  ]);
  return EXIT.done;
}

/** Unlike the amounts of requests, those of differences may be negative. @throws CommandFailure */
function parseShownAmount(flag: string, text: string, otherwise = ''): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw usage(`${flag} is a whole number of minor units, as the difference shows it${otherwise}.`);
}

/** @throws CommandFailure, PaymountError 404 `resource_missing` */
async function findDifference(
  { settlementDifferences }: Pick<Stores['directory'], 'settlementDifferences'>,
  text: string,
): Promise<SettlementDifference> {
  const id = parseSettlementDifferenceId(text);
  const found = await settlementDifferences.find(EVERYTHING, id);
  if (found === undefined) throw missing('settlement difference', id);
  return found;
}

function toRow(difference: SettlementDifferenceJson): readonly string[] {
  const { id, state, kind, created, subject, currency, expected, found, processor } = difference;
  const wanted = expected === null ? NOTHING : describeMoney(expected, currency);
  return [id, state, kind, created, subject, wanted, describeMoney(found, currency), processor];
}
