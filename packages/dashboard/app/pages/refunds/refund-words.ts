import type { Refund } from '../../api/resources.ts';

export const REASONS: Readonly<Record<NonNullable<Refund['reason']>, string>> = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'It was charged twice',
  fraudulent: 'It was fraud',
};
