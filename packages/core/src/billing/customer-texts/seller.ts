import type { AccountId } from '../../kernel/basics/id.ts';

/** Who issues invoices. */
export interface InvoiceSeller {
  /** The name of the seller. @defaultValue the name of the account */
  readonly name?: string;
  /** Lines below the name, such as an address and a tax number; at most 10. @defaultValue none */
  readonly details?: readonly string[];
}

/** The seller of an account's invoices. */
export type SellerOf = (account: {
  readonly id: AccountId;
  readonly name: string;
}) => InvoiceSeller;

/** The name and the lines of a seller. */
export function sellerFacts(
  account: { readonly id: AccountId; readonly name: string },
  sellerOf: SellerOf,
): Required<InvoiceSeller> {
  const { id, name } = account;
  return { name, details: [], ...sellerOf({ id, name }) };
}
