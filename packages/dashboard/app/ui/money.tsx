import { formatMoney } from './minor-units.ts';

interface MoneyProps {
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** An amount of money. */
export function Money({ amount, currency }: MoneyProps) {
  return formatMoney(amount, currency);
}
