// Every resource as the typed SDKs of Stripe read it.
// Start at `stripe-form.ts`.

export { inStripeForm } from './stripe-form.ts';
