import assert from 'node:assert/strict';
import type { NoticeKind, TokenizeInput } from '@paymount/core/payments';
import type { ProcessorBench } from './bench.ts';

/** Tests an adapter through its bench. */
export type Test = (bench: ProcessorBench) => Promise<void>;

/** @returns the reason to skip a case, as a sentence; undefined if it applies */
export type Condition = (bench: ProcessorBench) => Promise<string | undefined>;

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
    async leftOut(bench) {
      for (const condition of conditions) {
        const reason = await condition(bench);
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
  return async (bench) => {
    const { capabilities } = await bench.fresh();
    return capabilities[name] ? undefined : `capabilities.${name} is false.`;
  };
}

/** The adapter takes notices, and the fixtures say how its processor sends those of a kind. */
export function hasNotice(kind: NoticeKind): Condition {
  return async (bench) => {
    if ((await bench.fresh()).ingest === undefined) {
      return 'The adapter has no `ingest`: notices of its processor are refused.';
    }
    const isThere = bench.fixtures.notices?.[kind] !== undefined;
    return isThere ? undefined : `The fixtures have no notice \`${kind}\`.`;
  };
}

/** A case for adapters that support a currency. */
export function taking(currency: string, test: Test): Conditional {
  const takes: Condition = async (bench) => {
    const { currencies } = (await bench.fresh()).capabilities;
    const isTaken = currencies?.includes(currency) ?? true;
    return isTaken ? undefined : `capabilities.currencies has no ${currency}.`;
  };
  return provided([takes], test);
}

/** A case that requires a card of the fixtures. */
export function provoking(
  fixture: 'approvedSilently' | 'tampered' | 'notSent',
  test: (bench: ProcessorBench, card: TokenizeInput) => Promise<void>,
): Conditional {
  const hasCard: Condition = async ({ fixtures }) =>
    fixtures[fixture] === undefined ? `The fixtures have no card \`${fixture}\`.` : undefined;
  return provided([hasCard], async (bench) => {
    const card = bench.fixtures[fixture];
    assert(card !== undefined);
    await test(bench, card);
  });
}
