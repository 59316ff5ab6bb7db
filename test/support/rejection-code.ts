import { PaymountError } from '@paymount/core/kernel';

/** How work of ours ends: `no error`, the code of a `PaymountError`, or whatever else was thrown. */
export async function rejectionCode(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return PaymountError.is(error) ? error.code : error;
  }
}
