import type { IncomingMessage } from 'node:http';
import { isStripeVersion } from '@paymount/core/changes';
import { inStripeForm } from '@paymount/core/stripe-form';

/** Writes the JSON text of an answer, or of an event, in the form that its reader needs. */
export type WriteForm = (body: string) => string;

/**
 * The form of the answer to a request: Stripe's if it has `Stripe-Version`, with any value. Only
 * the sent texts are rewritten, never the stored ones.
 */
export function formFor({ headers }: Pick<IncomingMessage, 'headers'>): WriteForm {
  const header = headers['stripe-version'];
  if (header === undefined) return asItIs;
  // The part after a semicolon names previews: `2024-06-20; some_beta=v1`.
  const [named = ''] = String(header).split(';');
  const version = isStripeVersion(named.trim()) ? named.trim() : undefined;
  return (body) => (body === '' ? body : inStripeForm(body, version));
}

function asItIs(body: string): string {
  return body;
}
