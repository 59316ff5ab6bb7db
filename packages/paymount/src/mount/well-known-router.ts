import type { IncomingMessage } from 'node:http';
import { newId, PaymountError } from '@paymount/core/kernel';
import { type RouteResponse, sendResponse } from '@paymount/http';
import { metadataPath, metadataResponse, renderOAuthError } from '@paymount/oauth';
import { mountedRouter, type Router } from './mounted-router.ts';
import { requestTarget } from './request-target.ts';
import { requireRead } from './require-read.ts';

/**
 * The metadata of issuers, for the root of the host's app. It is the same for everybody, and needs
 * no login and no database. Other paths are passed on to the host's own routes.
 */
export function createWellKnownRouter(issuers: readonly string[]): Router {
  return mountedRouter((request, response, { isAlone }) => {
    const { host } = request.headers;
    const { pathname } = requestTarget(request);
    const found = issuers.filter((issuer) => metadataPath(issuer) === pathname);
    // Two hosts may lead to one process, each with an issuer of its own.
    const issuer = found.find((each) => new URL(each).host === host) ?? found[0];
    if (issuer === undefined && !isAlone) return false;
    sendResponse(response, { requestId: newId('req') }, answer(request, issuer));
    return true;
  });
}

function answer(request: IncomingMessage, issuer: string | undefined): RouteResponse {
  try {
    if (issuer === undefined) throw new PaymountError('route_missing');
    requireRead(request);
    return metadataResponse(issuer);
  } catch (error) {
    if (PaymountError.is(error)) return renderOAuthError(error);
    throw error;
  }
}
