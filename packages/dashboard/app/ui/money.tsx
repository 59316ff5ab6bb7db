interface MoneyProps {
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** An amount of money. */
export function Money({ amount, currency }: MoneyProps) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
