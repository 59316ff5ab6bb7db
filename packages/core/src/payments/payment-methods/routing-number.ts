import { PaymountError } from '../../kernel/errors/paymount-error.ts';

const ABA_WEIGHTS = [3, 7, 1] as const;

/**
 * Refuses what is not a routing number of the American Bankers Association.
 * @param param the parameter that has it
 * @throws PaymountError `routing_number_invalid`
 */
export function assertRoutingNumber(text: string, param: string): void {
  if (/^\d{9}$/.test(text) && hasCheckDigit(text)) return;
  const message = 'A routing number has nine digits, of which the last one checks the others.';
  throw new PaymountError('routing_number_invalid', message, { param });
}

function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (ABA_WEIGHTS[index % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}
