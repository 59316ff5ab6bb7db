import { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** The used part of the HTTP client of the `stripe` package; the rest differs by version. */
export interface StripeHttpClient {
  makeRequest(
    host: string,
    port: string,
    path: string,
    ...rest: never[]
  ): Promise<{ toJSON(): Promise<unknown>; getRawResponse(): unknown }>;
}

/**
 * Makes the `httpClient` of the official `stripe` SDK that reaches a mount under a sub-path; the SDK
 * itself knows only hosts: `new Stripe(key, { host, httpClient: prefixedHttpClient('/payments', Stripe) })`.
 * It is the SDK's own client for Node with the prefix before each path. Responses are read whole before
 * the SDK gets them, so that a cut one is a connection error, which the SDK retries under the same
 * idempotency key; by itself it does not retry, and older versions wait for the rest forever.
 * @param prefix the path of the mount, beginning with a slash
 * @param sdk the class `Stripe`
 * @throws TypeError when the prefix is not a path
 */
export function prefixedHttpClient<Client extends StripeHttpClient>(
  prefix: string,
  sdk: { createNodeHttpClient(): Client },
): Client {
  const base = prefix.replace(/\/$/, '');
  if (!/^(?:\/[^/?#\s]+)*$/.test(base)) {
    throw new TypeError(`The prefix ${JSON.stringify(prefix)} is not a path like '/payments'.`);
  }
  const client = sdk.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  const prefixed: StripeHttpClient['makeRequest'] = async (host, port, path, ...rest) => {
    const response = await makeRequest(host, port, base + path, ...rest);
    const body = response.toJSON();
    // The SDK asks for it later, and learns then that it is not JSON.
    body.catch(() => undefined);
    const raw = response.getRawResponse();
    if (raw instanceof IncomingMessage) await finished(raw);
    return Object.assign(response, { toJSON: () => body });
  };
  return Object.assign(client, { makeRequest: prefixed });
}
