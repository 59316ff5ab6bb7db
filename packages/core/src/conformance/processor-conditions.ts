import assert from 'node:assert/strict';
import type { TokenizeInput } from '../payments/operations/tokenization.ts';
import type { ProcessorBench } from './processor-bench.ts';

/** Tests an adapter through its bench. */
export type Test = (bench: ProcessorBench) => Promise<void>;

/** A case that does not apply to every adapter or set of fixtures. */
export interface Conditional {
  /** The reason to skip it, as a sentence; undefined if it applies. */
  readonly leftOut: (bench: ProcessorBench) => Promise<string | undefined>;
  readonly test: Test;
}

/** A case for every adapter. */
export function always(test: Test): Conditional {
  return { test, leftOut: async () => undefined };
}

/** A case for adapters with a capability. */
export function capable(
  name: 'manualCapture' | 'partialCapture' | 'voids' | 'refunds' | 'idempotentSubmit',
  test: Test,
): Conditional {
  return {
    test,
    async leftOut(bench) {
      const { capabilities } = await bench.fresh();
      return capabilities[name] ? undefined : `capabilities.${name} is false.`;
    },
  };
}

/** A case for adapters that support a currency. */
export function taking(currency: string, test: Test): Conditional {
  return {
    test,
    async leftOut(bench) {
      const { currencies } = (await bench.fresh()).capabilities;
      const isTaken = currencies?.includes(currency) ?? true;
      return isTaken ? undefined : `capabilities.currencies has no ${currency}.`;
    },
  };
}

/** A case that requires a card of the fixtures. */
export function provoking(
  fixture: 'approvedSilently' | 'tampered' | 'notSent',
  test: (bench: ProcessorBench, card: TokenizeInput) => Promise<void>,
): Conditional {
  return {
    leftOut: async ({ fixtures }) =>
      fixtures[fixture] === undefined ? `The fixtures have no card \`${fixture}\`.` : undefined,
    async test(bench) {
      const card = bench.fixtures[fixture];
      assert(card !== undefined);
      await test(bench, card);
    },
  };
}
