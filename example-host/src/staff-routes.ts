import { json, Router } from 'express';
import type { Knex } from 'knex';
import { readFields } from './read-fields.ts';
import { authenticateStaff } from './staff.ts';
import { type StaffTokens, TOKEN_SECONDS } from './staff-tokens.ts';

/**
 * `POST /login` gives a token for `name` and `password`. A shop on the internet would also limit
 * wrong passwords, and require a second factor.
 */
export function staffRoutes({
  database,
  staffTokens,
}: {
  readonly database: Knex;
  readonly staffTokens: StaffTokens;
}): Router {
  const router = Router();
  router.use(json());

  router.post('/login', async (request, response) => {
    const { name, password } = readFields(request);
    if (typeof name !== 'string' || typeof password !== 'string') {
      response.status(400).json({ error: 'Send name and password.' });
      return;
    }
    const member = await authenticateStaff(database, { name, password });
    if (member === undefined) {
      response.status(401).json({ error: 'The name or the password is wrong.' });
      return;
    }
    const token = await staffTokens.issue(member);
    const answer = { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS };
    response.set('Cache-Control', 'no-store').json(answer);
  });
  return router;
}
