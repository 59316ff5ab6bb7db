import { type Request, type RequestHandler, Router, urlencoded } from 'express';
import type { Knex } from 'knex';
import type { Identity } from 'paymount';
import { MerchantSessions } from './merchant-sessions.ts';
import { authenticateMerchantUser } from './merchants.ts';
import { readFields } from './read-fields.ts';

/** The login of merchants' users, and what Paymount asks it. */
export interface MerchantLogin {
  /** `GET` and `POST /login`, `GET /welcome`, `POST /logout`. */
  readonly routes: Router;
  readonly identity: Identity;
}

/** A shop on the internet would also limit wrong passwords, require a second factor, and end old sessions. */
export function merchantLogin(database: Knex): MerchantLogin {
  const sessions = new MerchantSessions();
  const routes = Router();

  routes.get('/login', (request, response) => {
    const { returnTo, reason } = request.query;
    const why =
      reason === 'reauthenticate'
        ? 'Log in again. This needs a login of the last few minutes.'
        : '';
    response.type('html').send(loginPage(returnPath(returnTo), why));
  });

  routes.post(
    '/login',
    refuseForeign,
    urlencoded({ extended: false }),
    async (request, response) => {
      const { name, password, returnTo } = readFields(request);
      const isComplete = typeof name === 'string' && typeof password === 'string';
      const user = isComplete && (await authenticateMerchantUser(database, { name, password }));
      if (!user) {
        const page = loginPage(returnPath(returnTo), 'The name or the password is wrong.');
        response.status(401).type('html').send(page);
        return;
      }
      sessions.end(request);
      response.setHeader('Set-Cookie', sessions.begin(user));
      response.redirect(303, returnPath(returnTo));
    },
  );

  routes.get(START, (request, response) => {
    const session = sessions.find(request);
    if (session === undefined) response.redirect(303, '/login');
    else response.type('html').send(welcomePage(session.user.name));
  });

  routes.post('/logout', refuseForeign, (request, response) => {
    sessions.end(request);
    response.redirect(303, '/login');
  });

  return { routes, identity: identityOf(sessions) };
}

function identityOf(sessions: MerchantSessions): Identity {
  return {
    async current(request) {
      const session = sessions.find(request);
      if (session === undefined) return null;
      const { id, user, loggedInAt } = session;
      return {
        userId: user.id,
        displayName: user.name,
        sessionRef: id,
        authTime: loggedInAt,
        accounts: user.accounts,
      };
    },
    // A login that is too old is repeated with the same form.
    loginUrl: (returnTo, { reason }) => `/login?${new URLSearchParams({ returnTo, reason })}`,
  };
}

/** Where users come who only log in. */
const START = '/welcome';

/**
 * Refuses forms of other sites. Such a site could otherwise log a user in as somebody else, who would
 * then see what the user does.
 */
const refuseForeign: RequestHandler = (request, response, next) => {
  if (!isForeign(request)) return next();
  response.status(403).type('html').send(refusalPage());
};

/** Programs that are no browsers send neither header. */
function isForeign({ headers }: Request): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  if (origin === undefined) return site !== 'same-origin';
  // Only the host, because a proxy may add TLS.
  return !URL.canParse(origin) || new URL(origin).host !== headers.host;
}

/** Only a path of this shop: a link of somebody else must not send users away. */
function returnPath(sent: unknown): string {
  return typeof sent === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(sent) ? sent : START;
}

function welcomePage(name: string): string {
  return page(
    'The tea shop',
    `<p>You are logged in as ${escaped(name)}.</p>
<p><a href="/dashboard/">Payments</a></p>
<p><a href="/oauth/applications">Connected applications</a></p>
<form method="post" action="/logout"><button>Log out</button></form>`,
  );
}

function refusalPage(): string {
  return page(
    'This form is not from here',
    '<p>Another site sent it. <a href="/login">Open the login page again.</a></p>',
  );
}

function loginPage(returnTo: string, message: string): string {
  return page(
    'Log in to the tea shop',
    `${message === '' ? '' : `<p role="alert">${message}</p>`}
<form method="post" action="/login">
<input type="hidden" name="returnTo" value="${escaped(returnTo)}">
<p><label>Name <input name="name" autocomplete="username" required></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
<button>Log in</button>
</form>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
