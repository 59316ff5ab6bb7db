import { newId } from '../../kernel/basics/id.ts';
import { isCurrency } from '../../kernel/input/currency.ts';
import type { Operation } from '../operations/operation.ts';
import { matchLine, recordDifferences } from '../settlements/match-line.ts';
import type { SettlementLine } from '../settlements/settlement-line.ts';
import { already, contradiction, type DirectNoticeApplier, early } from './notice-applier.ts';

/**
 * Stores a settlement line once, and books it. A line that no operation belongs to is stored too: a
 * person sees it, and it is booked once its operation is known. A line in another currency than its
 * charge is stored and shown, and not booked.
 */
export const applySettlementLine: DirectNoticeApplier<'settlement_line'> = async (
  { data, operationId, processorReference },
  { environment, processor, locks },
  rows,
  at,
) => {
  const { lineId, kind, amount, fee = 0, currency, settledOn } = data;
  if (!isCurrency(currency))
    return contradiction(`Line ${lineId} is in ${currency}, which is no currency.`);
  const line: SettlementLine = {
    id: newId('sl'),
    environment,
    processor,
    lineId,
    kind,
    amount,
    fee,
    currency,
    settledOn: new Date(settledOn),
    named: {
      ...(operationId === undefined ? {} : { operationId }),
      ...(processorReference === undefined ? {} : { processorReference }),
    },
    created: at,
  };
  const matched = await matchLine({ rows, locks, at }, line);
  if (matched.found === 'open') return early(waitsFor(matched.operation));
  const stored = matched.found === 'matched' ? matched.line : line;
  if (!(await rows.settlements.record(stored))) {
    return already(
      `Line ${lineId} was recorded before, and is booked once. Another line needs another lineId.`,
    );
  }
  if (matched.found === 'other_currency') {
    await rows.settlements.addDifferences([matched.difference]);
    return { decision: 'applied', changes: [] };
  }
  if (matched.found === 'none') {
    const about = { environment, processor, subjectId: line.id, lineId, currency };
    await rows.settlements.addDifferences([
      {
        ...about,
        id: newId('sd'),
        kind: 'no_operation',
        found: amount,
        state: 'open',
        created: at,
      },
    ]);
    return { decision: 'applied', changes: [] };
  }
  await recordDifferences(rows, matched);
  return { decision: 'applied', changes: [matched.change] };
};

function waitsFor({ id, state }: Operation): string {
  return state === 'quarantined'
    ? `Operation ${id} waits for a person too; settle it first.`
    : `Operation ${id} has no outcome yet; a look-up or a person must find it first.`;
}
