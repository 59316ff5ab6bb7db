import { parseId, type Scope } from '@paymount/core/kernel';
import { all, optional } from '../parameters.ts';
import { query } from './query.ts';
import type { BrowserRequest } from './site.ts';

/** What a user selected on the page of an interaction. */
export interface Choice {
  readonly scopes: readonly string[];
  readonly account?: string;
}

/** The choice in the form of a page. @throws PaymountError for a malformed form */
export function sentChoice({ form }: BrowserRequest): Choice {
  const account = optional(form, 'account');
  const scopes = all(form, 'scope').filter((scope) => typeof scope === 'string');
  return { scopes, ...(account && { account }) };
}

/** The choice before a login, or everything that is asked for. */
export function choiceInQuery(sent: string, asked: readonly Scope[]): Choice {
  const search = new URLSearchParams(sent);
  const account = search.get('account');
  return {
    scopes: search.get('scope')?.split(' ') ?? asked,
    ...(account === null ? {} : { account }),
  };
}

/** Keeps a choice over a login; empty if it is everything that is asked for. */
export function choiceQuery(choice: Choice, asked: readonly Scope[]): string {
  const scopes = asked.filter((scope) => choice.scopes.includes(scope));
  const account = parseId('acct', choice.account);
  if (scopes.length === asked.length && account === undefined) return '';
  return `?${query({ scope: scopes.join(' '), ...(account && { account }) })}`;
}
