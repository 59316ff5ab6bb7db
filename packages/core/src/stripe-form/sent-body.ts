import { isStripeVersion } from '../changes/events/api-version.ts';
import { inStripeForm } from './stripe-form.ts';

/**
 * The body of a delivery: the same text in every attempt, because the version of an endpoint never
 * changes.
 * @param body the event as it was recorded
 * @param apiVersion of the endpoint
 */
export function toSentBody({
  body,
  apiVersion,
}: {
  readonly body: string;
  readonly apiVersion: string;
}): string {
  return isStripeVersion(apiVersion) ? inStripeForm(body, apiVersion) : body;
}
