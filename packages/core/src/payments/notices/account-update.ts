import type { Environment } from '../../kernel/basics/environment.ts';
import type { CardFacts, PaymentMethod } from '../payment-methods/payment-method.ts';
import type { PaymentRepositories } from '../payment-storage.ts';
import type { NoticeData } from './notice.ts';
import { already, type DirectNoticeApplier } from './notice-applier.ts';

const PAGE = 100;

/**
 * The bank has replaced or renewed a card, or corrects a bank account. The payment methods of its token
 * get the new facts, without an event: saved cards, and all bank accounts, because the number of one that
 * was used or detached is still sent with refunds. An update that is older than the newest one changes
 * nothing. Charges keep the facts of their time.
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
    return already('A later update of this token came before it.');
  }
  const found = await findAll(paymentMethods, environment, data.processorToken);
  const outdated = found.flatMap((method) => renewed(method, data));
  if (outdated.length === 0) {
    return found.length > 0
      ? already()
      : already('No saved card and no bank account has this token.');
  }
  return {
    decision: 'applied',
    changes: outdated.map((row) => ({
      ...{ accountId: row.accountId, environment, at },
      writes: [{ kind: 'payment_method', mode: 'update', row }],
    })),
  };
};

/** A bank account of a company, for example, may be saved at many accounts. */
async function findAll(
  paymentMethods: PaymentRepositories['paymentMethods'],
  environment: Environment,
  processorToken: string,
): Promise<readonly PaymentMethod[]> {
  const found: PaymentMethod[] = [];
  let page: readonly PaymentMethod[];
  do {
    const after = found.at(-1)?.id;
    page = await paymentMethods.findCorrectable(environment, processorToken, PAGE, after);
    found.push(...page);
  } while (page.length === PAGE);
  return found;
}

type Update = NoticeData['account_update'];

/** The payment method with the new facts; nothing if it has them already. */
function renewed(method: PaymentMethod, update: Update): readonly PaymentMethod[] {
  const version = method.version + 1;
  if (method.type === 'card') {
    const card = renewedCard(method.card, update);
    return isSame(card, method.card) ? [] : [{ ...method, version, card }];
  }
  const { last4, routingNumber, accountType, number } = update;
  const facts = method.usBankAccount;
  // The fingerprint stays: it is the same bank account, written correctly.
  const usBankAccount = {
    ...facts,
    last4: last4 ?? facts.last4,
    routingNumber: routingNumber ?? facts.routingNumber,
    accountType: accountType ?? facts.accountType,
  };
  if (isSame(usBankAccount, facts) && number === undefined) return [];
  return [{ ...method, version, usBankAccount, ...(number === undefined ? {} : { number }) }];
}

function renewedCard(card: CardFacts, { expMonth, expYear, last4 }: Update): CardFacts {
  return {
    ...card,
    expMonth: expMonth ?? card.expMonth,
    expYear: expYear ?? card.expYear,
    last4: last4 ?? card.last4,
  };
}

/** Whether no fact has another value. */
function isSame<Facts extends object>(next: Facts, stored: Facts): boolean {
  return Object.entries(next).every(([fact, value]) => value === Reflect.get(stored, fact));
}
