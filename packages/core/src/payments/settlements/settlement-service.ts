import { applyIn } from '../../changes/commit.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { SettlementDifferenceId } from '../../kernel/basics/id.ts';
import { ownerOrNobody } from '../../kernel/basics/nobody.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import type { SettlementDifference } from './settlement-difference.ts';
import {
  type SettlementDifferenceSettle,
  toSettlementDifferenceResource,
} from './settlement-difference-resource.ts';
import type { SettlementStorage } from './settlement-storage.ts';

export interface SettlementPorts {
  readonly storage: SettlementStorage;
  readonly clock: Clock;
}

/** Decisions of people about differences between settlements and the ledger. */
export class SettlementService {
  readonly #ports: SettlementPorts;

  constructor(ports: SettlementPorts) {
    this.#ports = ports;
  }

  /**
   * Settles a difference with a note: it is no finding any more. It books nothing.
   * @param seen the amounts as the person saw them, who settles no others
   * @throws PaymountError `resource_missing`, `status_transition_invalid` unless it is open,
   *   `settlement_difference_changed` if it has other amounts by now
   */
  async settle(
    { audit, claim }: Pick<Call, 'audit' | 'claim'>,
    id: SettlementDifferenceId,
    { note, ...seen }: SettlementDifferenceSettle,
  ): Promise<SettlementDifference> {
    const at = this.#ports.clock.now();
    return this.#ports.storage.transaction(async (rows) => {
      const known = await rows.settlements.findDifferenceForUpdate(id);
      if (known === undefined) throw missing('settlement difference', id);
      if (known.state !== 'open') {
        throw new PaymountError(
          'status_transition_invalid',
          `Settlement difference ${id} is ${known.state}; only an open one can be settled. ` +
            'It opens again by itself when other amounts differ.',
        );
      }
      assertUnchanged(known, seen);
      const difference: SettlementDifference = { ...known, state: 'settled', note: note.trim() };
      await rows.settlements.saveDifference(difference);
      const { accountId, environment } = difference;
      const resource = toSettlementDifferenceResource(difference);
      const { state, kind, subject, currency, expected, found } = resource;
      const response = toStoredResponse(resource);
      await applyIn(rows, {
        ...ownerOrNobody(difference),
        at,
        writes: [],
        ...(claim && { claim, response: { key: claim.key, response } }),
        ...(audit && {
          audit: {
            ...audit,
            environment,
            action: 'settlement_difference.settle',
            target: id,
            ...(accountId === undefined ? {} : { accountId }),
            before: { state: 'open' },
            after: { state, kind, subject, currency, expected, found, note: difference.note },
            created: at,
          },
        }),
      });
      return difference;
    });
  }
}

/** Lines that come in the meantime change the amounts of an open difference. */
function assertUnchanged(
  { id, currency, expected, found }: SettlementDifference,
  seen: Omit<SettlementDifferenceSettle, 'note'>,
): void {
  if (seen.expected === (expected ?? null) && seen.found === found) return;
  const wanted = expected === undefined ? 'nothing' : describeMoney(expected, currency);
  throw new PaymountError(
    'settlement_difference_changed',
    `Settlement difference ${id} has other amounts now: ${wanted} expected, ` +
      `${describeMoney(found, currency)} found. Look at it again before you settle it.`,
  );
}
