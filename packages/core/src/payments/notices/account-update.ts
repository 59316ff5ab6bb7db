import { ownerOrNobody } from '../../kernel/basics/nobody.ts';
import { already, type DirectNoticeApplier } from './notice-applier.ts';

/**
 * The bank has replaced or renewed a card, or corrects a bank account. The payment methods of its token
 * get the new facts, without an event, in whatever order updates come: each fact is that of the newest
 * update which names it. Charges keep the facts of their time.
 */
export const applyAccountUpdate: DirectNoticeApplier<'account_update'> = async (
  { data: { processorToken, ...told }, occurredAt },
  origin,
  { paymentMethods, notices },
  at,
) => {
  const { environment } = origin;
  if (!(await paymentMethods.lockCorrections(environment, processorToken))) {
    return already('No saved card and no bank account has this token.');
  }
  const later = await notices.findUpdatedAfter(origin, processorToken, occurredAt);
  const facts = without(told, later);
  if (Object.keys(facts).length === 0) {
    return already('It says nothing that a later update of this token does not say.');
  }
  const corrected = { processorToken, ...facts };
  return {
    decision: 'applied',
    changes: [{ ...ownerOrNobody({ environment }), at, writes: [], corrected }],
  };
};

function without<Facts extends object>(facts: Facts, names: readonly string[]): Partial<Facts> {
  const rest: Partial<Facts> = { ...facts };
  for (const name of names) Reflect.deleteProperty(rest, name);
  return rest;
}
