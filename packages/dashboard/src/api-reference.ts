import { apiDocument, documentText, type Route } from '@paymount/http';

/** The reference of `/v1`, as a page of the dashboard. */
export interface ApiReferenceOptions {
  /**
   * Where your app mounts `router()` for test: a path such as `/payments/test`. With the `https`
   * address of another origin the page shows the routes, and sends no requests.
   */
  readonly url: string;
}

/** The reference of `/v1`, ready to be sent. */
export interface ApiReference {
  /** The OpenAPI document, as JSON. */
  readonly document: string;
  /** Whether pages of the dashboard can send requests to the API. */
  readonly canTry: boolean;
}

/**
 * Makes the reference.
 * @param routes all routes of `/v1`
 * @throws TypeError for an address that is neither a path nor an `https` address
 */
export function createApiReference(
  { url }: ApiReferenceOptions,
  routes: readonly Route[],
): ApiReference {
  const canTry = /^\/(?![/\\])/.test(url);
  if (!canTry && !(URL.canParse(url) && new URL(url).protocol === 'https:')) {
    throw new TypeError(
      '`apiReference.url` is the path of the API in your app, such as /payments/test, or an https address.',
    );
  }
  return { document: documentText(apiDocument(routes))(url.replace(/\/$/, '')), canTry };
}
