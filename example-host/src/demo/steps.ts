import { accessSteps } from './access-steps.ts';
import { adminSteps } from './admin-steps.ts';
import { failureSteps } from './failure-steps.ts';
import { paymentSteps } from './payment-steps.ts';
import type { Step } from './step.ts';

/** All that the demo shows, in this order. */
export const STEPS: readonly Step[] = [
  ...paymentSteps,
  ...failureSteps,
  ...accessSteps,
  ...adminSteps,
];
