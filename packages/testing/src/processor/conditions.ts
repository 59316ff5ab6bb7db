import assert from 'node:assert/strict';
import type { NoticeKind, TokenizeInput } from '@paymount/core/payments';
import type { ProcessorSetup } from './setup.ts';

/** Tests an adapter through its setup. */
export type Test = (setup: ProcessorSetup) => Promise<void>;

/** @returns the reason to skip a case, as a sentence; undefined if it applies */
export type Condition = (setup: ProcessorSetup) => Promise<string | undefined>;

/** A case that does not apply to every adapter or set of fixtures. */
export interface Conditional {
  readonly leftOut: Condition;
  readonly test: Test;
}

type Capability =
  | 'manualCapture'
  | 'partialCapture'
  | 'voids'
  | 'refunds'
  | 'payouts'
  | 'idempotentSubmit';

/** A case for every adapter. */
export function always(test: Test): Conditional {
  return provided([], test);
}

/** A case with conditions; the first one that does not hold says why it is skipped. */
export function provided(conditions: readonly Condition[], test: Test): Conditional {
  return {
    test,
    async leftOut(setup) {
      for (const condition of conditions) {
        const reason = await condition(setup);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
  };
}

/** A case for adapters with a capability. */
export function capable(name: Capability, test: Test): Conditional {
  return provided([can(name)], test);
}

/** The adapter has a capability. */
export function can(name: Capability): Condition {
  return async (setup) => {
    const { capabilities } = await setup.fresh();
    return capabilities[name] ? undefined : `capabilities.${name} is false.`;
  };
}

/** The adapter takes notices, and the fixtures say how its processor sends those of a kind. */
export function hasNotice(kind: NoticeKind): Condition {
  return async (setup) => {
    if ((await setup.fresh()).ingest === undefined) {
      return 'The adapter has no `ingest`: notices of its processor are refused.';
    }
    const isThere = setup.fixtures.notices?.[kind] !== undefined;
    return isThere ? undefined : `The fixtures have no notice \`${kind}\`.`;
  };
}

/** A case for adapters that support a currency. */
export function taking(currency: string, test: Test): Conditional {
  const takes: Condition = async (setup) => {
    const { currencies } = (await setup.fresh()).capabilities;
    const isTaken = currencies?.includes(currency) ?? true;
    return isTaken ? undefined : `capabilities.currencies has no ${currency}.`;
  };
  return provided([takes], test);
}

/** A case that requires a card of the fixtures. */
export function provoking(
  fixture: 'approvedSilently' | 'tampered' | 'notSent',
  test: (setup: ProcessorSetup, card: TokenizeInput) => Promise<void>,
): Conditional {
  const hasCard: Condition = async ({ fixtures }) =>
    fixtures[fixture] === undefined ? `The fixtures have no card \`${fixture}\`.` : undefined;
  return provided([hasCard], async (setup) => {
    const card = setup.fixtures[fixture];
    assert(card !== undefined);
    await test(setup, card);
  });
}
