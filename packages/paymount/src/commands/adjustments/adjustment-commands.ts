import { type CliContext, EXIT } from '@paymount/cli';
import {
  type Adjustment,
  AdjustmentCreateInput,
  AdjustmentService,
  toAdjustmentResource,
} from '@paymount/core/payments';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { systemClock } from '../../adapters/system-clock.ts';
import { parseAmount } from '../amount-flag.ts';
import { callFor } from '../caller.ts';
import { parseAccountId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

export interface AdjustmentFlags {
  readonly account: string;
  readonly environment: 'live' | 'test';
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
}

/** `paymount adjustments reserve`, `release` and `write-off`: print the id of the adjustment. */
export function createAdjustmentCommand(
  kind: Adjustment['kind'],
): (context: CliContext, flags: AdjustmentFlags) => Promise<number> {
  return async (context, { environment, currency, reason, ...flags }) => {
    const accountId = parseAccountId(flags.account);
    // Searched for secrets, as in the management API, because the audit log stores it.
    assertNoForbiddenTexts({ reason }, { cards: true });
    const sent = { kind, account: accountId, livemode: environment === 'live', currency, reason };
    const amount = parseAmount(flags.amount);
    const valid = validateInput(AdjustmentCreateInput, { ...sent, amount });
    const { account: _, livemode: __, ...input } = valid;
    const call = callFor({ accountId, environment });
    const adjustment = await withStorage(await readSettings(context), async (stores) => {
      await requireAccount(stores, accountId);
      const { storage } = stores;
      return new AdjustmentService({ storage, clock: systemClock }).create(call, input);
    });
    context.report(toAdjustmentResource(adjustment), [adjustment.id]);
    return EXIT.done;
  };
}
