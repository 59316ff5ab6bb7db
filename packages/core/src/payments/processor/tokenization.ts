export interface CardChecks {
  readonly cvcCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
  readonly addressPostalCodeCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
}

/** The fields of a card that may be shown; numbers and CVCs are never stored. */
export interface CardFacts {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** The same for the same card number at one processor. */
  readonly fingerprint: string;
  readonly funding: 'credit' | 'debit' | 'prepaid' | 'unknown';
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly checks: CardChecks;
}

/** A bank account in the US with its number. */
export interface DebitedAccount {
  readonly routingNumber: string;
  readonly accountType: 'checking' | 'savings';
  readonly accountHolderType: 'individual' | 'company';
  readonly accountNumber: string;
  readonly accountHolderName?: string;
}

/**
 * The input of a tokenization: raw card data (test mode only), a bank account by its number, or a
 * processor's token.
 */
export type TokenizeInput =
  | {
      readonly type: 'card';
      readonly card: {
        readonly number: string;
        readonly expMonth: number;
        readonly expYear: number;
        readonly cvc?: string;
      };
    }
  | { readonly type: 'us_bank_account'; readonly usBankAccount: DebitedAccount }
  | { readonly type: 'card' | 'us_bank_account'; readonly token: string };

/** A processor's answer to `tokenize`. */
export type PaymentMethodFacts =
  | {
      readonly type: 'card';
      readonly card: CardFacts;
      /** The processor's token of the card. */
      readonly processorToken: string;
    }
  | {
      readonly type: 'us_bank_account';
      readonly usBankAccount: Omit<DebitedAccount, 'accountNumber'> & {
        readonly bankName?: string;
        readonly last4: string;
        /**
         * What each debit is to get in `bankAccount`: it is stored sealed. Absent: the processor
         * keeps the number, and needs only its token.
         */
        readonly accountNumber?: string;
        /**
         * The same for the same number, of a processor that keeps numbers. Of `accountNumber` Paymount
         * makes one.
         */
        readonly fingerprint?: string;
      };
      /**
       * The processor's token, which names one bank account. Absent: the processor has none, and
       * Paymount makes one.
       */
      readonly processorToken?: string;
    };

export type TokenizeResult =
  | { readonly result: 'tokenized'; readonly facts: PaymentMethodFacts }
  /** `code` is one of the card codes (402) or input codes (400) of the error table. */
  | {
      readonly result: 'refused';
      readonly code: TokenizeRefusal;
      readonly message: string;
      readonly param?: string;
    }
  /** The token does not exist at this processor. */
  | { readonly result: 'unknown_token' };

export type TokenizeRefusal =
  | 'incorrect_number'
  | 'invalid_cvc'
  | 'invalid_expiry_month'
  | 'invalid_expiry_year'
  | 'live_card_in_sandbox'
  | 'test_number_required'
  | 'routing_number_invalid'
  | 'parameter_invalid'
  | 'card_declined'
  | 'processing_error';
