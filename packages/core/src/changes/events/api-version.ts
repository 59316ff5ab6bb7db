/** Versions, as dates, of the shapes that events and endpoints have (specification: Versioning). */
const API_VERSIONS = ['2026-11-01'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** The version of new endpoints. */
export const CURRENT_API_VERSION: ApiVersion = '2026-11-01';

const DATE = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.[a-z]{1,20})?$/;
/** From then on Stripe's versions also have a release name; a later date without one is ours. */
const STRIPE_NAMES_RELEASES_FROM = '2024-09-30';

/**
 * Whether a text has the form of a version of Stripe's API, as its SDKs name it: `2024-06-20`,
 * `2025-09-30.clover`. It does not check whether Stripe has published it.
 */
export function isStripeVersion(text: string): boolean {
  return DATE.test(text) && (text.includes('.') || text < STRIPE_NAMES_RELEASES_FROM);
}

/** Whether an endpoint can be registered with it: one of our versions, or one of Stripe's. */
export function isEndpointVersion(text: string): boolean {
  return API_VERSIONS.some((version) => version === text) || isStripeVersion(text);
}
