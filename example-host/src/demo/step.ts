import type { Stage } from './stage.ts';

/** One thing that the demo shows. */
export interface Step {
  /** What is tried, for the message when it fails. */
  readonly tries: string;
  /** @returns the line to show, after checking that all of it is so */
  run(stage: Stage, memory: Memory): Promise<string>;
}

/** What later steps take from earlier ones. */
export interface Memory {
  /** The order that was placed, as the shop showed it. */
  order?: Order;
  /** Id of the key that an admin rotated. */
  rotatedKey?: string;
}

export interface Order {
  readonly id: string;
  readonly charge: string;
  readonly status: string;
}

/** @throws Error with `otherwise` when what must be so is not */
export function check(so: boolean, otherwise: string): asserts so {
  if (!so) throw new Error(otherwise);
}
