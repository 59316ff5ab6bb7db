import { createAccountService } from '@paymount/auth';
import { systemClock } from '../adapters/system-clock.ts';
import { commandCaller } from './caller.ts';
import type { Context } from './context.ts';
import { EXIT } from './terminal.ts';
import { withStorage } from './with-storage.ts';

export interface AccountFlags {
  readonly name: string;
  readonly email?: string;
  readonly country: string;
  readonly currency: string;
}

/** `paymount accounts create`: prints the id of the new account. */
export async function createAccountCommand(context: Context, flags: AccountFlags): Promise<number> {
  const { name, email, country, currency } = flags;
  const account = await withStorage(await context.settings(), ({ access }) =>
    createAccountService({ access, clock: systemClock }).create(
      {
        name,
        country,
        defaultCurrency: currency,
        ...(email === undefined ? {} : { email }),
      },
      commandCaller(),
    ),
  );
  const created = account.created.toISOString();
  context.report(
    { id: account.id, name, email: account.email, country, default_currency: currency, created },
    [account.id],
  );
  return EXIT.done;
}
