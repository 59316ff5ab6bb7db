import { PaymountError } from '@paymount/core/kernel';

/** The code, parameter and message of a refusal: `code param: message`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (PaymountError.is(error)) return `${error.code} ${error.param ?? '-'}: ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}
