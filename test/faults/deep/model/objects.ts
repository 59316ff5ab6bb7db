// What there is of one account, as the plain model knows it.

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
export const FUNDS_WAIT_MS = 2 * DAY;
export const AUTHORIZATION_MS = 7 * DAY;
export const ALERT_MS = 3 * DAY;
/** Of a Visa card. */
export const ANSWER_MS = 20 * DAY;
/** Of a bank debit, at this bank. */
export const CLEARING_MS = 4 * DAY;
/** Of test clocks, in the time that all share. */
export const CLOCK_LIFE_MS = 30 * DAY;

/** Until the first look-up after an answer that did not come. */
export const LOOK_UP_MS = 10_000;

/** Debits are in dollars, everything else in euros. */
export const CURRENCIES = ['eur', 'usd'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** What the bank does with a request. */
export interface Answer {
  readonly verdict: 'approved' | 'declined';
  /** True: it does it, and Paymount gets no answer. */
  readonly isSilent: boolean;
}

/** The time that all objects share, or that of a test clock. */
export interface Timeline {
  nowMs: number;
  /** Of a test clock: its id, and the saved card of its customer. */
  readonly clock?: { readonly id: string; readonly method: string; readonly endsAtMs: number };
}

export interface Charge {
  readonly id: string;
  readonly amount: number;
  readonly isManual: boolean;
  readonly isDebit: boolean;
  /** Billing made it. */
  readonly isBilled?: true;
  readonly currency: Currency;
  readonly timeline: Timeline;
  status: 'pending' | 'authorized' | 'succeeded' | 'failed' | 'canceled';
  captured: number;
  refunded: number;
  isDisputed: boolean;
  hasExpired: boolean;
  expiresAtMs: number;
  fundsAtMs: number;
  /** What is saved and has paid it. */
  readonly method?: Method | undefined;
  /** What the bank tells to have kept, as its answer. */
  readonly fee: number;
  readonly lines: Settled;
}

/** What settlement lines may tell of a charge or refund, and what they have told. */
export interface Settled {
  /** Amounts that it moved, oldest first. */
  readonly moves: number[];
  fees: number;
}

export interface Refund {
  readonly id: string;
  readonly charge: Charge;
  readonly amount: number;
  /** When its debit counts as available; undefined if it cancels an authorization. */
  readonly fundsAtMs: number | undefined;
  readonly lines: Settled;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
}

export interface Dispute {
  /** Undefined until the API has shown it. */
  id: string | undefined;
  reference: string;
  readonly charge: Charge;
  amount: number;
  status:
    | 'warning_needs_response'
    | 'warning_closed'
    | 'prevented'
    | 'needs_response'
    | 'under_review'
    | 'won'
    | 'lost';
  closedReason: string | null;
  dueAtMs: number;
  /** What the merchant has stored of it; how often it reached the bank. */
  evidence: string | null;
  submissions: number;
}

/** A bank account for payouts in euros. */
export interface Bank {
  readonly id: string;
  isDefault: boolean;
  /** A payout there failed: no other goes there. */
  isErrored: boolean;
  isDeleted: boolean;
}

export interface Payout {
  /** Undefined until the API has shown it. */
  id: string | undefined;
  readonly amount: number;
  readonly timeline: Timeline;
  readonly bank: Bank;
  readonly isAutomatic: boolean;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
}

export interface Method {
  readonly id: string;
  readonly type: 'card' | 'us_bank_account';
  /** Of the bank, which reports by it that the card was renewed, or that the number is another. */
  readonly token: string;
  readonly customer: Customer;
  /** Of a card its last four digits. */
  number: string;
  /** The bank returned a debit that its holder had not authorized. */
  isBlocked: boolean;
  /** When the newest report happened. */
  updatedAtMs: number;
  isDetached: boolean;
}

export interface Customer {
  readonly id: string;
  isDeleted: boolean;
  default: Method | undefined;
}

/** A plan with one item that was sold to a customer. */
export interface Subscription {
  readonly id: string;
  readonly item: string;
  readonly unitAmount: number;
  readonly hasTrial: boolean;
  /** Something was not billed, or given back: what its periods cost is not of the model. */
  isOdd: boolean;
  /** What a full period costs, and from when on; oldest first. */
  readonly prices: { readonly atMs: number; readonly amount: number }[];
}

/** What settlement lines and the charges or refunds that they are about do not agree on. */
export interface Difference {
  readonly kind: 'amount_differs' | 'fee_differs';
  /** A line by the name that the bank gave it. */
  readonly about: string;
  expected: number | null;
  readonly found: number;
  state: 'open' | 'resolved';
  /** What its charge or refund moved, also later; only where the amount differs. */
  readonly moves?: readonly number[];
}

/** A request to the bank whose outcome Paymount does not know yet. */
export interface Open {
  readonly kind: 'authorize' | 'capture' | 'cancel' | 'refund' | 'payout' | 'evidence' | 'close';
  readonly verdict: 'approved' | 'declined';
  readonly amount: number;
  /** What it is about. */
  readonly subject: Charge | Refund | Dispute | Payout;
  /** When a look-up finds it out. */
  knownAtMs: number;
  /** Evidence only: it was about the alert, not about its chargeback. */
  readonly isOfAlert?: boolean;
  /** Bank debits only, until it is known that they were submitted: when they clear. */
  clearsAtMs?: number;
  /** Payouts, and refunds that a host made in its transaction: until a worker has sent it. */
  unsent?: { readonly isSilent: boolean; readonly afterMs: number };
}

/** Money on the balance: pending until its time. */
export interface Funds {
  readonly amount: number;
  readonly currency: Currency;
  readonly timeline: Timeline;
  readonly atMs: number;
  /** Of a sale: automatic payouts leave the sales of the last days. */
  readonly soldAtMs?: number;
  /** It is a part of an automatic payout, or the debit of one. */
  isInPayout?: true;
}
