import type { CardFacts, PaymentMethod } from '../payment-methods/payment-method.ts';
import type { NoticeData } from './notice.ts';
import type { DirectNoticeApplier } from './notice-applier.ts';

/**
 * The bank has replaced or renewed a card: the saved payment methods of its token get the new facts,
 * without an event. An update that is older than the newest one changes nothing. Charges keep the
 * facts of their time.
 */
export const applyAccountUpdate: DirectNoticeApplier<'account_update'> = async (
  { data, occurredAt },
  origin,
  { paymentMethods, notices },
  at,
) => {
  const { environment } = origin;
  const newest = await notices.newestUpdateAt(origin, data.processorToken);
  if (newest !== undefined && newest > occurredAt) {
    return { decision: 'already', reason: 'A later update of this token came before it.' };
  }
  const saved = await paymentMethods.findAttachedByToken(environment, data.processorToken);
  const outdated = saved.filter(({ card }) => differs(card, data));
  if (outdated.length === 0) {
    return saved.length > 0
      ? { decision: 'already' }
      : { decision: 'already', reason: 'No customer has a payment method of this token.' };
  }
  return {
    decision: 'applied',
    changes: outdated.map((method) => ({
      ...{ accountId: method.accountId, environment, at },
      writes: [{ kind: 'payment_method', mode: 'update', row: renewed(method, data) }],
    })),
  };
};

type Update = NoticeData['account_update'];

function differs(card: CardFacts, update: Update): boolean {
  const next = renewedCard(card, update);
  return (['expMonth', 'expYear', 'last4'] as const).some((fact) => next[fact] !== card[fact]);
}

function renewed(method: PaymentMethod, update: Update): PaymentMethod {
  return { ...method, version: method.version + 1, card: renewedCard(method.card, update) };
}

function renewedCard(card: CardFacts, { expMonth, expYear, last4 }: Update): CardFacts {
  return {
    ...card,
    expMonth: expMonth ?? card.expMonth,
    expYear: expYear ?? card.expYear,
    last4: last4 ?? card.last4,
  };
}
