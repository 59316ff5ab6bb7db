import { type CliContext, EXIT, table, usage } from '@paymount/cli';
import {
  ExpungeCreateInput,
  type ExpungeRequest,
  ExpungeService,
  toExpungeRequestResource,
} from '@paymount/core/expunging';
import { type CreatedFilter, missing } from '@paymount/core/kernel';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { systemClock } from '../../adapters/system-clock.ts';
import { callFor, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId, parseExpungeRequestId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { parseMoment } from '../time-flags.ts';
import { withStorage } from '../with-storage.ts';

const HEADS = ['ID', 'STATUS', 'ACCOUNT', 'ENVIRONMENT', 'EVENTS', 'CREATED', 'REASON'];

export interface ExpungeFlags {
  readonly account: string;
  readonly environment: 'live' | 'test';
  readonly reason: string;
  readonly event?: readonly string[];
  readonly object?: string;
  readonly createdFrom?: string;
  readonly createdBefore?: string;
}

/** `paymount expunge create`: prints the id of the request; a worker does it. */
export async function createExpungeCommand(
  context: CliContext,
  flags: ExpungeFlags,
): Promise<number> {
  const { environment, reason, event, object } = flags;
  if ([event, object, flags.createdFrom, flags.createdBefore].every((flag) => flag === undefined)) {
    throw usage('Say which events: --event, --object, --created-from or --created-before.');
  }
  const accountId = parseAccountId(flags.account);
  const sent = { reason, ...(event && { events: event }), ...(object && { object_id: object }) };
  // Searched for secrets, as in the management API, because the audit log stores it.
  assertNoForbiddenTexts(sent, { cards: true });
  const input = { ...validateInput(ExpungeCreateInput, sent), created: toBounds(flags) };
  const call = callFor({ accountId, environment });
  const request = await withStorage(await readSettings(context), async (stores) => {
    await requireAccount(stores, accountId);
    const { storage } = stores;
    return new ExpungeService({ storage, clock: systemClock }).create(call, input);
  });
  context.report(toExpungeRequestResource(request), [request.id]);
  return EXIT.done;
}

function toBounds({ createdFrom, createdBefore }: ExpungeFlags): CreatedFilter | undefined {
  if (createdFrom === undefined && createdBefore === undefined) return undefined;
  const when = { now: systemClock.now(), fromNow: -1 } as const;
  return {
    ...(createdFrom !== undefined && { gte: parseMoment('--created-from', createdFrom, when) }),
    ...(createdBefore !== undefined && {
      lt: parseMoment('--created-before', createdBefore, when),
    }),
  };
}

export interface ExpungeListFlags {
  readonly status?: ExpungeRequest['status'];
  readonly account?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount expunge list`: a page of requests, newest first. */
export async function listExpungesCommand(
  context: CliContext,
  { status, account, after }: ExpungeListFlags,
): Promise<number> {
  const id = account === undefined ? undefined : parseAccountId(account);
  const filter = { ...(status && { status }), ...(id && { account: id }) };
  const page = { limit: PAGE, ...(after && { startingAfter: parseExpungeRequestId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), async (stores) => {
    if (id !== undefined) await requireAccount(stores, id);
    return stores.directory.expunges.list(EVERYTHING, filter, page);
  });
  const lines = data.length === 0 ? ['There is no such request.'] : table(HEADS, data.map(toRow));
  const requests = data.map(toExpungeRequestResource);
  context.report({ expunge_requests: requests, has_more: hasMore }, lines);
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

/** `paymount expunge show`: a request with its progress. */
export async function showExpungeCommand(context: CliContext, text: string): Promise<number> {
  const id = parseExpungeRequestId(text);
  const request = await withStorage(await readSettings(context), ({ directory }) =>
    directory.expunges.find(EVERYTHING, id),
  );
  if (request === undefined) throw missing('expunge request', id);
  const resource = toExpungeRequestResource(request);
  const facts = Object.entries(resource).map(([name, value]) => [name, shown(value)]);
  context.report(resource, table(['FIELD', 'VALUE'], facts));
  return EXIT.done;
}

function toRow(request: ExpungeRequest): readonly string[] {
  const { id, status, accountId, environment, counts, created, reason } = request;
  return [id, status, accountId, environment, String(counts.events), created.toISOString(), reason];
}

function shown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
