/** Where someone is; a part that is not known is null. */
export interface Address {
  readonly city: string | null;
  readonly country: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly postalCode: string | null;
  readonly state: string | null;
}

/** Who pays with a payment method. */
export interface BillingDetails {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
}

/** Where goods are sent. */
export interface Shipping {
  readonly name: string;
  readonly phone: string | null;
  readonly address: Address;
}

export const emptyBillingDetails: BillingDetails = {
  name: null,
  email: null,
  phone: null,
  address: null,
};
