import type { Setup } from './setup.ts';

/** One step of the demo. */
export interface Step {
  /** What the step does, for the message if it fails. */
  readonly tries: string;
  /** @returns the line to show, after checking that it is true */
  run(setup: Setup, memory: Memory): Promise<string>;
}

/** Results of earlier steps that later steps need. */
export interface Memory {
  /** The placed order, as the shop returned it. */
  order?: Order;
  /** Id of the key that an admin rotated. */
  rotatedKey?: string;
}

export interface Order {
  readonly id: string;
  readonly charge: string;
  readonly status: string;
}

/** @throws Error with `otherwise` if the condition is false */
export function check(so: boolean, otherwise: string): asserts so {
  if (!so) throw new Error(otherwise);
}
