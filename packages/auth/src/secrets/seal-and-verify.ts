import { PaymountError, type Sealer } from '@paymount/core/kernel';

/**
 * Seals a secret and verifies that it opens again, for replacing the only copy.
 * @throws PaymountError `unavailable` if the keys cannot be reached right now
 * @throws Error if it does not open: a key provider returns different keys to seal and to open
 */
export async function sealAndVerify(
  sealer: Sealer,
  plain: string,
  context: string,
): ReturnType<Sealer['seal']> {
  const anew = await sealer.seal(plain, context);
  try {
    await sealer.open(anew.sealed, context);
  } catch (cause) {
    if (PaymountError.is(cause)) throw cause;
    throw new Error(
      `The sealing key ${JSON.stringify(anew.kid)} does not open what it sealed: its provider ` +
        'gives two keys one name, or cannot find it by its name.',
      { cause },
    );
  }
  return anew;
}
