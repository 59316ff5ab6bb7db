import type { Session } from '../api/resources.ts';

const KEY = 'paymount-place';

/** Remembers the account and environment whose pages are shown. @param path such as `/acct_…/test` */
export function noteLastPlace(path: string): void {
  sessionStorage.setItem(KEY, path);
}

/**
 * The account and environment that this tab showed last, as a path, for pages that belong to none;
 * the start page if it showed none, or the user has lost it.
 */
export function lastPlace(session: Session | undefined): string {
  const [, account, environment] = sessionStorage.getItem(KEY)?.split('/') ?? [];
  const isTheirs =
    session?.accounts.some(({ id }) => id === account) &&
    session.environments.some((each) => each === environment);
  return isTheirs ? `/${account}/${environment}` : '/';
}
