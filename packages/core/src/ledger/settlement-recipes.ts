import { newId, type SettlementLineId } from '../kernel/basics/id.ts';
import type { Posting } from './ledger.ts';
import { bookProcessorFee } from './recipes.ts';

/**
 * Recipe `settlement`: the processor pays what it owes us to our bank, less its fee. The merchant's
 * balance does not change.
 * @param line `amount` before the fee
 * @param unbookedFee what is left of the fee, if an outcome has told some of it before
 */
export function bookSettlement(
  line: {
    readonly id: SettlementLineId;
    readonly amount: number;
    readonly fee: number;
    readonly currency: string;
  },
  unbookedFee: number,
  at: Date,
): readonly Posting[] {
  const { id: sourceId, amount, fee, currency } = line;
  const net = BigInt(amount - fee);
  const settlement: Posting = {
    id: newId('ltx'),
    kind: 'settlement',
    sourceId,
    currency,
    entries: [
      { code: 'bank', amount: net },
      { code: 'processor_clearing', amount: -net },
    ],
    availableOn: at,
    created: at,
  };
  const { postings: fees = [] } = bookProcessorFee({ fee: unbookedFee, currency }, sourceId, at);
  return [...(net === 0n ? [] : [settlement]), ...fees];
}
