import { Router, urlencoded } from 'express';
import type { Knex } from 'knex';
import type { Identity } from 'paymount';
import { MerchantSessions } from './merchant-sessions.ts';
import { authenticateMerchantUser } from './merchants.ts';
import { readFields } from './read-fields.ts';

/** The login of merchants' users, and what Paymount asks it. */
export interface MerchantLogin {
  /** `GET` and `POST /login`, `POST /logout`. */
  readonly routes: Router;
  readonly identity: Identity;
}

/**
 * A shop on the internet would also limit wrong passwords, require a second factor, end old sessions,
 * and refuse login forms of other sites.
 */
export function merchantLogin(database: Knex): MerchantLogin {
  const sessions = new MerchantSessions();
  const routes = Router();

  routes.get('/login', (request, response) => {
    response.type('html').send(loginPage(returnPath(request.query['returnTo'])));
  });

  routes.post('/login', urlencoded({ extended: false }), async (request, response) => {
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
  });

  routes.post('/logout', (request, response) => {
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
    loginUrl: (returnTo) => `/login?${new URLSearchParams({ returnTo })}`,
  };
}

/** Only a path of this shop: a link of somebody else must not send users away. */
function returnPath(sent: unknown): string {
  return typeof sent === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(sent) ? sent : '/login';
}

function loginPage(returnTo: string, error = ''): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in to the tea shop</title>
<main>
<h1>Log in to the tea shop</h1>
<p role="alert">${error}</p>
<form method="post" action="/login">
<input type="hidden" name="returnTo" value="${returnTo.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">
<p><label>Name <input name="name" autocomplete="username" required></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
<button>Log in</button>
</form>
</main>
</html>
`;
}
