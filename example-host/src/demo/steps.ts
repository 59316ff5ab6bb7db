import { accessSteps } from './access-steps.ts';
import { adminSteps } from './admin-steps.ts';
import { connectSteps } from './connect-steps.ts';
import { failureSteps } from './failure-steps.ts';
import { moneySteps } from './money-steps.ts';
import { paymentSteps } from './payment-steps.ts';
import type { Step } from './step.ts';
import { subscriptionSteps } from './subscription-steps.ts';

/** All steps of the demo, in this order. */
export const STEPS: readonly Step[] = [
  ...paymentSteps,
  ...moneySteps,
  ...subscriptionSteps,
  ...failureSteps,
  ...accessSteps,
  ...adminSteps,
  ...connectSteps,
];
