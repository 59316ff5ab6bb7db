import { type Authenticator, assertOrigins } from '@paymount/auth';
import { portsForRequest } from './host-request-id.ts';
import { type LoginLimitPorts, limitLogins } from './limit-logins.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import { requestTarget } from './request-target.ts';
import { type AdminRequestPorts, RoutedAdminRequest } from './routed-admin-request.ts';

export type ManagementRouterPorts = AdminRequestPorts & LoginLimitPorts;

/**
 * Step 1 of the management API: it responds to every request below its mount, so that no later
 * handler gets one by mistake.
 * @throws Error for an invalid origin
 */
export function createManagementRouter(given: ManagementRouterPorts): Router {
  if (given.origins !== undefined) assertOrigins(given.origins);
  const ports = { ...given, authenticate: limitLogins(given) };
  return mountedRouter((request, response, { hostBody }) => {
    const target = { ...requestTarget(request), ...(hostBody && { hostBody }) };
    const routed = new RoutedAdminRequest(
      portsForRequest(ports, request, response),
      request,
      target,
    );
    ports.inFlight.add(routed.respond(response));
    return true;
  });
}

/** @throws TypeError without an authenticator, because nothing else would protect the API */
export function requireAuthenticator(authenticate: Authenticator | undefined): Authenticator {
  if (typeof authenticate === 'function') return authenticate;
  throw new TypeError(
    'The management API needs an authenticator for admins: pass `authenticate`, such as ' +
      'jwtAdmin({ issuer, audience, jwksUri }) or hostSessionAdmin(session).',
  );
}
