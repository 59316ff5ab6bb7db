import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { reason } from '../../kernel/input/input.ts';
import {
  SETTLEMENT_DIFFERENCE_KINDS,
  SETTLEMENT_DIFFERENCE_STATES,
  type SettlementDifference,
} from './settlement-difference.ts';

export const SettlementDifferenceResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('settlement_difference'),
    created: TimestampResource,
    account: z.string().nullable(),
    livemode: z.boolean(),
    processor: z.string().meta({ description: 'Name of the adapter.' }),
    kind: z.enum(SETTLEMENT_DIFFERENCE_KINDS).meta({
      description:
        '`no_operation`: a line that no operation belongs to, which is not booked. ' +
        '`currency_differs`: a line in another currency than its charge, which is not booked. ' +
        '`amount_differs`: a line of another amount than what its charge or refund moved. ' +
        '`fee_differs`: lines of a charge or refund that tell less of its fee than is booked. ' +
        '`not_settled`: a charge of which lines do not say all, a week after it last changed.',
    }),
    subject: z.string().meta({ description: 'The id of the line, charge or refund.' }),
    line_id: z.string().nullable().meta({ description: "The processor's id of the line." }),
    currency: z.string(),
    expected: z.int().nullable().meta({ description: 'Null: nothing.' }),
    found: z.int(),
    state: z.enum(SETTLEMENT_DIFFERENCE_STATES).meta({
      description: '`settled`: by a person. `resolved`: by lines that came later.',
    }),
    note: z.string().nullable(),
  })
  .meta({ id: 'SettlementDifference' });

export const SettlementDifferenceSettleInput = z
  .strictObject({
    expected: withErrorHint(z.int(), 'an integer or null')
      .nullable()
      .meta({
        description:
          'As the difference shows it. If it has other amounts by now, the answer is ' +
          '`settlement_difference_changed`.',
      }),
    found: z.int().meta({ description: 'As the difference shows it.' }),
    note: reason(500).meta({
      description:
        'How you know what it is. It is stored with the difference and in the audit log.',
    }),
  })
  .meta({ id: 'SettlementDifferenceSettle' });

export type SettlementDifferenceSettle = z.output<typeof SettlementDifferenceSettleInput>;

export type SettlementDifferenceJson = z.output<typeof SettlementDifferenceResource>;

/** Renders a difference for an operator. */
export function toSettlementDifferenceResource(
  difference: SettlementDifference,
): SettlementDifferenceJson {
  const { id, processor, kind, currency, found, state } = difference;
  return {
    id,
    object: 'settlement_difference',
    created: difference.created.toISOString(),
    account: difference.accountId ?? null,
    livemode: livemode(difference.environment),
    processor,
    kind,
    subject: difference.subjectId,
    line_id: difference.lineId ?? null,
    currency,
    expected: difference.expected ?? null,
    found,
    state,
    note: difference.note ?? null,
  };
}
