// Every resource in the form that Stripe's typed SDKs read.
// Start at `stripe-form.ts`.

export { toSentBody } from './sent-body.ts';
export { inStripeForm } from './stripe-form.ts';
