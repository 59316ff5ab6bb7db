import { usage } from '@paymount/cli';

/** The minor units of `--amount`; at most what a charge can have. @throws CommandFailure */
export function parseAmount(text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text);
  throw usage('--amount is a whole number of minor units, such as 4200.');
}
