import { type CliContext, EXIT, printable, table } from '@paymount/cli';
import { type Call, describeMoney, missing } from '@paymount/core/kernel';
import {
  OPERATION_NOUNS,
  type Operation,
  OperationDismissInput,
  type OperationFilter,
  type OperationJson,
  OperationSettleInput,
  toOperationResource,
} from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import type { Parts } from '../../parts/parts.ts';
import { parseAmount } from '../amount-flag.ts';
import { callFor, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId, parseOperationId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { withPaymount } from '../with-paymount.ts';
import { withStorage } from '../with-storage.ts';

const HEADS = ['ID', 'STATE', 'REVIEW', 'SINCE', 'KIND', 'SUBJECT', 'AMOUNT', 'PROCESSOR'];

export interface OperationListFlags {
  readonly state: NonNullable<OperationFilter['state']>;
  readonly account?: string;
  readonly environment?: 'live' | 'test';
  readonly kind?: Operation['kind'];
  readonly processor?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount operations list`: a page of operations, newest first. */
export async function listOperationsCommand(
  context: CliContext,
  flags: OperationListFlags,
): Promise<number> {
  const { state, environment, kind, processor, after } = flags;
  const account = flags.account === undefined ? undefined : parseAccountId(flags.account);
  const filter: OperationFilter = {
    state,
    ...(account && { account }),
    ...(environment && { environment }),
    ...(kind && { kind }),
    ...(processor && { processor }),
  };
  const page = { limit: PAGE, ...(after && { startingAfter: parseOperationId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), async (storage) => {
    if (account !== undefined) await requireAccount(storage, account);
    return storage.directory.operations.list(EVERYTHING, filter, page);
  });
  const operations = data.map((operation) => toOperationResource(operation));
  const lines =
    data.length === 0 ? [describeEmptyList(flags)] : table(HEADS, operations.map(toRow));
  context.report({ operations, has_more: hasMore }, lines);
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

function describeEmptyList({ state, ...narrower }: OperationListFlags): string {
  if (state !== 'review') return 'There is no such operation.';
  const which = Object.keys(narrower).length === 0 ? '' : 'such ';
  return `No ${which}operation waits for a person.`;
}

/** `paymount operations show`: an operation, and the answers about it. */
export async function showOperationCommand(context: CliContext, id: string): Promise<number> {
  const operation = await withStorage(await readSettings(context), async ({ directory }) => {
    const found = await findOperation(directory, id);
    return toOperationResource(found, await directory.operations.answers(found));
  });
  context.report(operation, toLines(operation));
  return EXIT.done;
}

export interface SettleFlags {
  readonly as: string;
  readonly reason: string;
  readonly reference?: string;
  readonly amount?: string;
}

/** `paymount operations settle`: uses the hook and the fees of the host, like the API. */
export function settleOperationCommand(
  context: CliContext,
  id: string,
  { as, reason, reference, amount }: SettleFlags,
): Promise<number> {
  const given = searched({
    as,
    reason,
    ...(reference === undefined ? {} : { processor_reference: reference }),
    ...(amount === undefined ? {} : { amount: parseAmount(amount) }),
  });
  const input = validateInput(OperationSettleInput, given);
  return decide(context, id, ({ operations }, call, known) =>
    operations.settle(call, known, input),
  );
}

/** `paymount operations dismiss`: after a late response has been handled. */
export function dismissOperationCommand(
  context: CliContext,
  id: string,
  { reason }: { readonly reason: string },
): Promise<number> {
  const input = validateInput(OperationDismissInput, searched({ reason }));
  return decide(context, id, ({ operations }, call, known) =>
    operations.dismiss(call, known, input),
  );
}

/** Searched for secrets, as in the management API, because the audit log stores it. */
function searched(input: object): object {
  assertNoForbiddenTexts(input, { cards: true });
  return input;
}

async function decide(
  context: CliContext,
  id: string,
  work: (parts: Parts, call: Call, id: Operation['id']) => Promise<Operation>,
): Promise<number> {
  const known = parseOperationId(id);
  const operation = await withPaymount(context, async (parts) => {
    const found = await findOperation(parts.stores.directory, known);
    return work(parts, callFor(found), known);
  });
  const { state, kind, subjectId } = operation;
  const what = `${OPERATION_NOUNS[kind]} of ${subjectId}`;
  const recorded = describeOutcome(operation);
  context.report(toOperationResource(operation), [`${id} (${what}) is ${state}: ${recorded}.`]);
  return EXIT.done;
}

function describeOutcome({ outcome }: Operation): string {
  switch (outcome?.outcome) {
    case 'approved': {
      const { amount, currency, processorReference } = outcome;
      return `approved ${describeMoney(amount, currency)}, reference ${printable(processorReference)}`;
    }
    case 'declined':
    case 'rejected':
      return `${outcome.outcome} (${outcome.code})`;
    case 'action_required':
    case 'pending':
      return outcome.outcome;
    case 'not_sent':
    case undefined:
      return 'not executed';
  }
}

/** @throws CommandFailure, PaymountError 404 `resource_missing` */
async function findOperation(
  { operations }: Pick<Stores['directory'], 'operations'>,
  text: string,
): Promise<Operation> {
  const id = parseOperationId(text);
  const found = await operations.find(EVERYTHING, id);
  if (found === undefined) throw missing('operation', id);
  return found;
}

function toRow(operation: OperationJson): readonly string[] {
  const { id, state, review, kind, subject, amount, currency, processor } = operation;
  const [cause, since] = review === null ? ['-', '-'] : [review.cause, review.since];
  return [id, state, cause, since, kind, subject, describeMoney(amount, currency), processor];
}

function toLines({ answers = [], ...operation }: OperationJson): readonly string[] {
  const facts = Object.entries(operation).map(([name, value]) => [name, shown(value)]);
  const rows = answers.map(({ source, answer, reason, created }) => [
    created,
    source,
    shown(answer),
    reason ?? '-',
  ]);
  const told = rows.length === 0 ? [] : ['', ...table(['AT', 'FROM', 'ANSWER', 'REASON'], rows)];
  return [...table(['FIELD', 'VALUE'], facts), ...told];
}

/** Objects without their empty fields: `outcome=approved amount=900`. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).filter(([, each]) => each !== null);
  return fields.map(([name, each]) => `${name}=${String(each)}`).join(' ');
}
