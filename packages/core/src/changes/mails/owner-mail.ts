import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { composeMail } from './compose-mail.ts';
import type { WrittenMail } from './mail.ts';

/** What happened to the money of an account. */
export interface OwnerNews extends Owner {
  /** One e-mail is written for each. */
  readonly dedupeKey: string;
  /** What follows "A live" or "A test", such as `refund failed`. */
  readonly subject: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** What it means. @defaultValue the subject says it */
  readonly meaning?: string;
  /** Lines such as `Refund: re_...`, the objects first. */
  readonly objects: readonly string[];
  readonly reasons: readonly string[];
  /** What the owner can do. */
  readonly cure: string;
  /** The page of the dashboard, below the account and environment, such as `charges/ch_…`. */
  readonly page: string;
  /** In the time that everybody shares, in which it is sent. */
  readonly created: Date;
}

/** The mail to the owner of an account about their money. */
export function ownerMail(news: OwnerNews): WrittenMail {
  const { dedupeKey, accountId, environment, amount, currency, meaning, page, created } = news;
  const money = describeMoney(amount, currency);
  return {
    id: newId('mail'),
    dedupeKey,
    accountId,
    created,
    page: `${accountId}/${environment}/${page}`,
    ...composeMail({
      subject: `A ${environment} ${news.subject}: ${money}`,
      parts: [
        ...(meaning === undefined ? [] : [meaning]),
        [...news.objects, `Account: ${accountId}`, `Amount: ${money}`, ...news.reasons],
        news.cure,
      ],
    }),
  };
}
