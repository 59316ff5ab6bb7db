import { livemode, type Owner } from '@paymount/core/kernel';
import { type Column, fixed } from '../shared/columns.ts';

/** The owner of a row, for parts whose rows may be of several owners. */
export const OWNER_COLUMNS: readonly Column<Owner>[] = [
  fixed('account_id', 'text', ({ accountId }) => accountId),
  fixed('livemode', 'boolean', ({ environment }) => livemode(environment)),
];
