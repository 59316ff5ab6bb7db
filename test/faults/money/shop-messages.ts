import type { Acting } from 'paymount';

/** An order, and the charge that is made with it in one transaction. */
export interface ShopOrder {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly payment_method: string;
  readonly capture: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What the host's own code is to do in one transaction of its own. */
export type ShopRequest = {
  readonly acting: Acting;
  /** False: it does everything, and rolls back. */
  readonly commits: boolean;
} & (
  | { readonly do: 'buy'; readonly orders: readonly ShopOrder[] }
  /** `call`: what this one refund is known by. */
  | {
      readonly do: 'refund';
      readonly order: string;
      readonly call: string;
      readonly amount: number;
    }
  | { readonly do: 'capture'; readonly order: string; readonly amount: number }
  | { readonly do: 'cancel'; readonly order: string }
);

/** What became of it. */
export type ShopAnswer =
  | { readonly result: 'committed'; readonly ids: readonly string[] }
  | { readonly result: 'rolled back' }
  | {
      readonly result: 'failed';
      /** Of a `PaymountError`, or the whole error as text. */
      readonly code: string;
      /** Of the error and its causes. */
      readonly sqlstates: readonly string[];
    };
