import type { IncomingMessage } from 'node:http';
import { isStripeVersion } from '@paymount/core/changes';
import { inStripeForm } from '@paymount/core/stripe-form';

/** Writes the JSON text of an answer, or of an event, as its reader wants it. */
export type WriteForm = (body: string) => string;

/**
 * The form in which a request wants its answer: Stripe's when it carries `Stripe-Version`,
 * whatever that says. Only the texts that are sent are rewritten, never what is stored.
 */
export function formFor({ headers }: Pick<IncomingMessage, 'headers'>): WriteForm {
  const header = headers['stripe-version'];
  if (header === undefined) return asItIs;
  // What follows a semicolon names previews: `2024-06-20; some_beta=v1`.
  const [named = ''] = String(header).split(';');
  const version = isStripeVersion(named.trim()) ? named.trim() : undefined;
  return (body) => (body === '' ? body : inStripeForm(body, version));
}

function asItIs(body: string): string {
  return body;
}
