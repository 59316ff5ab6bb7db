import { type CliContext, EXIT, printable, table } from '@paymount/cli';
import { missing, newId } from '@paymount/core/kernel';
import {
  NoticeDismissInput,
  type NoticeFilter,
  type NoticeJson,
  type StoredNotice,
  toNoticeResource,
} from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import type { Parts } from '../../parts/parts.ts';
import { commandCaller, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId, parseNoticeId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { withPaymount } from '../with-paymount.ts';
import { withStorage } from '../with-storage.ts';

const HEADS = ['ID', 'STATE', 'KIND', 'OCCURRED', 'OPERATION', 'PROCESSOR', 'REASON'];

export interface NoticeListFlags {
  readonly state: NonNullable<NoticeFilter['state']>;
  readonly account?: string;
  readonly environment?: 'live' | 'test';
  readonly kind?: NonNullable<NoticeFilter['kind']>;
  readonly processor?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount notices list`: a page of notices, newest first. */
export async function listNoticesCommand(
  context: CliContext,
  { state, environment, kind, processor, after, ...flags }: NoticeListFlags,
): Promise<number> {
  const account = flags.account === undefined ? undefined : parseAccountId(flags.account);
  const filter: NoticeFilter = {
    state,
    ...(account && { account }),
    ...(environment && { environment }),
    ...(kind && { kind }),
    ...(processor && { processor }),
  };
  const page = { limit: PAGE, ...(after && { startingAfter: parseNoticeId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), async (storage) => {
    if (account !== undefined) await requireAccount(storage, account);
    return storage.directory.notices.list(EVERYTHING, filter, page);
  });
  const notices = data.map(toNoticeResource);
  const none =
    state === 'review' ? 'No such notice waits for a person.' : 'There is no such notice.';
  context.report(
    { notices, has_more: hasMore },
    notices.length === 0 ? [none] : table(HEADS, notices.map(toRow)),
  );
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

/** `paymount notices show`. */
export async function showNoticeCommand(context: CliContext, id: string): Promise<number> {
  const notice = await withStorage(await readSettings(context), async ({ directory }) =>
    toNoticeResource(await findNotice(directory, id)),
  );
  context.report(notice, toLines(notice));
  return EXIT.done;
}

/** `paymount notices retry`: uses the hook and the fees of the host, like the API. */
export function retryNoticeCommand(context: CliContext, id: string): Promise<number> {
  return decide(context, id, ({ notices }, found, caller) => notices.retry(caller, found.id));
}

/** `paymount notices dismiss`: after it has been handled. */
export function dismissNoticeCommand(
  context: CliContext,
  id: string,
  { reason }: { readonly reason: string },
): Promise<number> {
  // Searched for secrets, as in the management API, because the audit log stores it.
  assertNoForbiddenTexts({ reason }, { cards: true });
  const input = validateInput(NoticeDismissInput, { reason });
  return decide(context, id, ({ notices }, found, caller) =>
    notices.dismiss(caller, found.id, input),
  );
}

type Caller = Parameters<Parts['notices']['retry']>[0];

async function decide(
  context: CliContext,
  text: string,
  work: (parts: Parts, found: StoredNotice, caller: Caller) => Promise<StoredNotice>,
): Promise<number> {
  const id = parseNoticeId(text);
  const decided = await withPaymount(context, async (parts) => {
    const found = await findNotice(parts.stores.directory, id);
    return work(parts, found, { audit: { ...commandCaller().by, requestId: newId('req') } });
  });
  const notice = toNoticeResource(decided);
  const why = notice.reason === null ? '' : `: ${printable(notice.reason)}`;
  context.report(notice, [`${notice.id} (${notice.kind}) is ${notice.state}${why}`]);
  return EXIT.done;
}

/** @throws CommandFailure, PaymountError 404 `resource_missing` */
async function findNotice(
  { notices }: Pick<Stores['directory'], 'notices'>,
  text: string,
): Promise<StoredNotice> {
  const id = parseNoticeId(text);
  const found = await notices.find(EVERYTHING, id);
  if (found === undefined) throw missing('notice', id);
  return found;
}

function toRow(notice: NoticeJson): readonly string[] {
  const { id, state, kind, occurred_at: occurred, operation, processor, reason } = notice;
  return [id, state, kind, occurred, operation ?? '-', processor, reason ?? '-'];
}

function toLines({ facts, ...notice }: NoticeJson): readonly string[] {
  const rows = Object.entries({ ...notice, ...facts, reason: notice.reason });
  return table(
    ['FIELD', 'VALUE'],
    rows.map(([name, value]) => [name, value === null ? '-' : String(value)]),
  );
}
