import type { IncomingMessage } from 'node:http';
import {
  type AddressShares,
  type ClientAddresses,
  type Limits,
  requireAllowed,
} from '@paymount/auth';
import { PaymountError, type RequestId } from '@paymount/core/kernel';
import { hasBody, type RouteResponse, readOrigin, readWithBody } from '@paymount/http';
import type { OAuthPage } from '@paymount/oauth';
import type { Mounted } from './mounted-router.ts';
import type { RequestTarget } from './request-target.ts';

/** The largest form, in bytes. What platforms and browsers send has a few thousand. */
export const MAX_FORM_BYTES = 16_384;

/** A request to an endpoint or a page of OAuth. */
export interface OAuthArrival {
  readonly request: IncomingMessage;
  readonly requestId: RequestId;
  readonly target: RequestTarget;
  readonly hostBody?: NonNullable<Mounted['hostBody']>;
}

export interface PagePorts {
  readonly clients: ClientAddresses;
  readonly limits: Pick<Limits, 'countPage'>;
  readonly pageShares: Pick<AddressShares, 'use'>;
}

/**
 * Answers a browser on a page of OAuth. Anybody may open one, so each address is limited.
 * @throws PaymountError `method_not_allowed`, `rate_limit`, `invalid_request`, and those of forms
 */
export async function answerPage(
  { clients, limits, pageShares }: PagePorts,
  page: OAuthPage,
  { request, requestId, target, hostBody }: OAuthArrival,
): Promise<RouteResponse> {
  const { method = 'GET' } = request;
  if (!page.methods.includes(method)) {
    const extra = { allowed_methods: page.methods };
    throw new PaymountError('method_not_allowed', `This page takes ${page.methods.join(', ')}.`, {
      extra,
    });
  }
  const address = clients.ofRequest(request);
  const counted = await limits.countPage(address);
  if (counted) requireAllowed(counted.state);
  if (method === 'POST' && !hasBody(request)) {
    throw new PaymountError('invalid_request', 'The form is empty.');
  }
  // The query of a GET belongs to OAuth, whose rules for parameters are its own.
  const body = { request, query: '', maxBytes: MAX_FORM_BYTES, ...(hostBody && { hostBody }) };
  const { tree: form } =
    method === 'POST'
      ? await pageShares.use(address, {
          read: (awaitBody) => readWithBody({ ...body, signal: awaitBody() }, 'POST'),
          handle: async (read) => read,
          isGenuine: () => false,
        })
      : { tree: {} };
  const origin = { requestId, ...readOrigin(request, address) };
  return page.respond(method, { request, ...target, form, origin });
}
