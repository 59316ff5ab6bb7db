import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { WrittenMail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import { describeMoment } from '../../kernel/basics/moment.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { LiveBankAccount } from './bank-account.ts';

/**
 * What the owner is notified of: the `first` bank account of a currency was added, another one was `added`, or
 * one that was there has become the `default`.
 */
export type DestinationNews = 'first' | 'added' | 'default';

/**
 * The mail to the owner of an account about a bank account that payouts may go to from now on, or go
 * to without being told where.
 * @param destination in its new state
 * @param by who made the change; undefined if that is not known
 */
export function destinationMail(
  destination: LiveBankAccount,
  news: DestinationNews,
  by: AuditContext | undefined,
  created: Date,
): WrittenMail {
  const { id, version, accountId, environment, last4, bankName, heldUntil } = destination;
  const currency = destination.currency.toUpperCase();
  const { isDefault } = destination;
  const actor = by
    ? `${by.actor.type} ${by.actor.id}`
    : 'not known (an earlier version of Paymount)';
  const replaces = isDefault && news !== 'first';
  return {
    id: newId('mail'),
    dedupeKey: `bank_account:${id}:${version}`,
    accountId,
    created,
    page: `${accountId}/${environment}/bank-accounts/${id}`,
    ...composeMail({
      subject: replaces
        ? `${environment === 'live' ? 'Live' : 'Test'} payouts in ${currency} go to another bank account`
        : `A ${environment} bank account for payouts in ${currency} was added`,
      parts: [
        isDefault
          ? `Payouts in ${currency} that name no bank account go to this one from now on.`
          : `Payouts in ${currency} can name this bank account from now on.`,
        [
          `Bank account: ${id}, ending in ${last4}${bankName === null ? '' : `, ${bankName}`}`,
          `Account: ${accountId}`,
          `Changed by: ${actor}`,
          ...(heldUntil === null ? [] : [`Held until: ${describeMoment(heldUntil)}`]),
        ],
        ...(heldUntil === null
          ? []
          : [
              'Nothing is paid out to it before. If you made this change, you can confirm the bank ' +
                'account in the dashboard, and payouts go there at once.',
            ]),
        `If you did not, somebody has a secret key of yours: revoke the key, ${
          replaces
            ? 'make another bank account the default, and delete this one'
            : 'and delete this bank account'
        }.`,
      ],
    }),
  };
}
