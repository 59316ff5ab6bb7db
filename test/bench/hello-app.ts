import {
  authorizeRoute,
  ClientAddresses,
  createGuard,
  createLimits,
  UsageRecorder,
} from '@paymount/auth';
import { containsCredential } from '@paymount/core/access';
import { DispatchHub } from '@paymount/core/events';
import { PaymountError, type Principal } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import express, { type Express, type Request, type Response } from 'express';
import { systemClock } from './bench-clock.ts';
import { silentLogger } from './silent-logger.ts';

const HELLO = { object: 'hello', message: 'Hello, world', livemode: false };
/** Counted as ever, but never refused. */
const FAST = { requests: 1e9, seconds: 1 };

/** An Express app that says hello at `/hello`, to anybody. */
export function bareApp(): Express {
  return express().get('/hello', (_request, response) => {
    response.json(HELLO);
  });
}

/** The same behind the whole guard, as the router of Paymount does it. */
export function guardedApp(connection: string): { readonly app: Express; close(): Promise<void> } {
  const postgres = createPostgresStorage({ connection, dispatch: new DispatchHub() });
  const ports = { clock: systemClock, logger: silentLogger };
  const clients = new ClientAddresses();
  const rates = { live: FAST, test: FAST };
  const limits = createLimits({ key: rates, account: rates }, ports);
  const usage = new UsageRecorder({ usage: postgres.usage, ...ports });
  const guard = createGuard({ credentials: postgres.credentials, limits, ...ports });
  // Step 9, its headers, the route's scope, and a note of the use.
  const countAndAnswer = (
    principal: Principal,
    { address, headers }: { readonly address: string | undefined } & Pick<Request, 'headers'>,
    response: Response,
  ): void => {
    const counted = limits.countRequest(principal, address);
    if (counted === undefined || counted instanceof Promise) throw new Error('It was not counted.');
    for (const [name, value] of Object.entries(counted.headers)) response.setHeader(name, value);
    authorizeRoute(principal, { scope: 'charges:read' });
    response.json(HELLO);
    if (principal.kind !== 'key') return;
    const userAgent = headers['user-agent'];
    usage.record(principal.keyId, { status: 200, address, userAgent, namesAddresses: true });
  };
  const app = express().get('/hello', (request, response, next) => {
    const address = clients.ofRequest(request);
    if (containsCredential(request.originalUrl)) throw new PaymountError('key_in_url');
    const asked = { rawHeaders: request.rawHeaders, address };
    const from = { address, headers: request.headers };
    const admitted = guard.authenticate(asked, 'test');
    // A cached key is decided about in the same turn; only a look-up is waited for.
    if (admitted instanceof Promise) {
      admitted.then((principal) => countAndAnswer(principal, from, response)).catch(next);
    } else countAndAnswer(admitted, from, response);
  });
  return {
    app,
    async close() {
      guard.close();
      await usage.close();
      await postgres.close();
    },
  };
}
