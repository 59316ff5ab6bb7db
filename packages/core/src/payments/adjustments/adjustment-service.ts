import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { bookAdjustment } from '../../ledger/adjustment-recipes.ts';
import { type CurrencyBalance, describePayable, payableOf } from '../../ledger/ledger.ts';
import type { AdjustmentCreate } from './adjustment-input.ts';
import { type Adjustment, toAdjustmentResource } from './adjustment-resource.ts';
import type { AdjustmentStorage } from './adjustment-storage.ts';

export interface AdjustmentPorts {
  readonly storage: AdjustmentStorage;
  readonly clock: Clock;
}

/** What admins book on balances: reserves, releases and write-offs. */
export class AdjustmentService {
  readonly #ports: AdjustmentPorts;

  constructor(ports: AdjustmentPorts) {
    this.#ports = ports;
  }

  /**
   * Books an adjustment under the lock of the balance, with its audit row.
   * @throws PaymountError `balance_insufficient` for more than is available, reserved, or owed
   */
  async create(call: Call, input: AdjustmentCreate): Promise<Adjustment> {
    const owner = ownerOf(call);
    const { kind, amount, currency } = input;
    const reason = input.reason.trim();
    return this.#ports.storage.transaction(async (rows) => {
      assertCovered(input, await rows.ledger.lockBalance(owner, currency));
      const at = this.#ports.clock.now();
      const id = newId('adj');
      const booked = bookAdjustment({ owner, adjustmentId: id, kind, amount, currency, at });
      const { id: balanceTransactionId } = booked.transaction;
      const adjustment: Adjustment = {
        ...owner,
        id,
        kind,
        amount,
        currency,
        reason,
        balanceTransactionId,
        created: at,
      };
      const { audit } = call;
      const after = { kind, amount, currency, reason, balance_transaction: balanceTransactionId };
      await applyIn(rows, {
        ...owner,
        at,
        writes: [],
        postings: [booked.posting],
        balanceTransactions: [booked.transaction],
        ...resourceFields(call, toAdjustmentResource(adjustment)),
        ...(audit && {
          audit: {
            ...audit,
            ...owner,
            action: 'adjustment.create',
            target: id,
            after,
            created: at,
          },
        }),
      });
      return adjustment;
    });
  }
}

/** What each kind may take at most, and the end of the sentence that says so. */
const POOLS = {
  reserve: { says: describePayable, of: payableOf },
  release: { says: () => 'are reserved', of: ({ reserved }: CurrencyBalance) => reserved },
  write_off: { says: () => 'are owed', of: (balance: CurrencyBalance) => -payableOf(balance) },
} as const;

function assertCovered(
  { kind, amount, currency }: Pick<AdjustmentCreate, 'kind' | 'amount' | 'currency'>,
  balance: CurrencyBalance,
): void {
  const { says, of } = POOLS[kind];
  const limit = of(balance);
  if (BigInt(amount) <= limit) return;
  throw new PaymountError(
    'balance_insufficient',
    `${describeMoney(limit < 0n ? 0n : limit, currency)} ${says(balance)}; ` +
      `the ${kind} is ${describeMoney(amount, currency)}.`,
    { param: 'amount' },
  );
}
