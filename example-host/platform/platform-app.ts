import express, { type Express, type Request } from 'express';
import {
  AccessEnded,
  authorizeUrl,
  callApi,
  exchangeCode,
  type MerchantTokens,
  newRequest,
  type PendingRequest,
  type PlatformSettings,
  refreshTokens,
  revokeTokens,
} from './payments-client.ts';

const COOKIE = 'bookkeeping_state';
const UNAUTHORIZED = 401;
const HOME = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Example bookkeeping</title>
<h1>Example bookkeeping</h1>
<p><a href="/connect">Connect your payments</a></p>
</html>
`;

/**
 * A bookkeeping program of another company, which merchants of the shop connect. It keeps tokens in
 * memory, where a real one would encrypt them in its database, drop requests that nobody answered,
 * and have a login of its own in front of the merchants' data.
 *
 * - `GET /` is its page.
 * - `GET /connect` sends the browser to the shop; `GET /callback` is where it returns.
 * - `GET /merchants/:id/charges` reads the charges of a merchant, with a new access token if the old
 *   one has ended.
 * - `POST /merchants/:id/disconnect` gives the access up.
 */
export function createPlatformApp(settings: PlatformSettings): Express {
  const pending = new Map<string, PendingRequest>();
  const merchants = new Map<string, MerchantTokens>();
  const app = appWithHome();

  /** Other errors, such as a lost connection, leave the tokens as they are: the next call repeats it. */
  const refreshOrEnd = async (tokens: MerchantTokens): Promise<MerchantTokens | undefined> => {
    try {
      const fresh = await refreshTokens(settings, tokens);
      merchants.set(fresh.merchant, fresh);
      return fresh;
    } catch (error) {
      if (!(error instanceof AccessEnded)) throw error;
      merchants.delete(tokens.merchant);
      return undefined;
    }
  };

  app.get('/connect', (_request, response) => {
    const request = newRequest();
    pending.set(request.state, request);
    // The answer counts only in the browser that asked: otherwise somebody could connect their own
    // account to the books of another user.
    response.setHeader('Set-Cookie', `${COOKIE}=${request.state}; HttpOnly; SameSite=Lax; Path=/`);
    response.redirect(303, authorizeUrl(settings, request));
  });

  app.get('/callback', async (request, response) => {
    const { state, iss, error, code } = request.query;
    const asked = typeof state === 'string' ? pending.get(state) : undefined;
    if (asked === undefined || stateOf(request) !== state || iss !== settings.issuer) {
      response.status(400).json({ error: 'This answer belongs to no request of this browser.' });
      return;
    }
    pending.delete(asked.state);
    if (typeof code !== 'string') {
      response.status(403).json({ error: typeof error === 'string' ? error : 'no code' });
      return;
    }
    const tokens = await exchangeCode(settings, code, asked);
    merchants.set(tokens.merchant, tokens);
    response.json({ connected: tokens.merchant, scope: tokens.scope });
  });

  app.get('/merchants/:id/charges', async (request, response) => {
    const tokens = merchants.get(request.params.id);
    if (tokens === undefined) {
      response.status(404).json({ error: 'This merchant has not connected.' });
      return;
    }
    let answer = await callApi(settings, tokens, '/v1/charges');
    if (answer.status === UNAUTHORIZED) {
      const fresh = await refreshOrEnd(tokens);
      if (fresh === undefined) {
        response.status(UNAUTHORIZED).json({ error: 'The merchant has ended the access.' });
        return;
      }
      answer = await callApi(settings, fresh, '/v1/charges');
    }
    response
      .status(answer.status)
      .type('json')
      .send(await answer.text());
  });

  app.post('/merchants/:id/disconnect', async (request, response) => {
    const tokens = merchants.get(request.params.id);
    if (tokens !== undefined) await revokeTokens(settings, tokens);
    merchants.delete(request.params.id);
    response.json({ connected: null });
  });
  return app;
}

function appWithHome(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/', (_request, response) => void response.type('html').send(HOME));
  return app;
}

function stateOf({ headers }: Request): string | undefined {
  const pairs = (headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
