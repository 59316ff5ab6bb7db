import type { Context } from './context.ts';
import { EXIT } from './terminal.ts';
import { withStorage } from './with-storage.ts';

/** `paymount verify`: recomputes the ledger; exit 1 when anything does not agree. */
export async function verifyCommand(context: Context): Promise<number> {
  const differences = await withStorage(await context.settings(), (storage) => storage.verify());
  const lines = differences.map(
    ({ rule, subject, expected, found }) =>
      `${rule} ${subject}: expected ${expected}, found ${found}`,
  );
  const agrees = differences.length === 0;
  context.report({ agrees, differences }, [
    ...lines,
    agrees
      ? 'The ledger agrees with its entries.'
      : `${differences.length} differences were found.`,
  ]);
  return agrees ? EXIT.done : EXIT.failed;
}
