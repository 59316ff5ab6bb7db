/** The prefix of an id -> the pages of such objects. */
const PAGES: Readonly<Record<string, string>> = {
  ch: 'charges',
  re: 'refunds',
  txn: 'balance',
  ba: 'bank-accounts',
  key: 'keys',
  we: 'endpoints',
  dlv: 'deliveries',
  evt: 'events',
  rpl: 'replays',
  ca: 'applications',
  leak: 'leaks',
  aud: 'audit',
};
/** The prefixes of ids whose objects have no page. */
const WITHOUT_PAGE: readonly string[] = [
  'cus',
  'pm',
  'tok',
  'btok',
  'mandate',
  'po',
  'dp',
  'file',
  'op',
  'req',
  'clock',
];
const ID = /^([a-z]+)_[0-9a-z]+$/;

/** The page of an id, below the account and environment; undefined if there is none. */
export function pageOfId(id: string): string | undefined {
  const page = PAGES[prefixOf(id)];
  return page && `${page}/${id}`;
}

/** Where the search box leads for a text, or what it says instead. */
export type Found = { readonly page: string } | { readonly problem: string };

/** What a text leads to. @param account the id of the account that is shown */
export function findById(text: string, account: string): Found {
  const page = text === account ? 'settings' : pageOfId(text);
  if (page !== undefined) return { page };
  const prefix = prefixOf(text);
  if (prefix === 'acct') return { problem: 'To open another account, choose it in the menu.' };
  if (WITHOUT_PAGE.includes(prefix)) return { problem: 'IDs of this kind have no page.' };
  return { problem: 'Paste an ID such as evt_… or key_…' };
}

function prefixOf(id: string): string {
  return ID.exec(id)?.[1] ?? '';
}
