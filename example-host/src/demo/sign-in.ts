import type { Stage } from './stage.ts';

/** The shop's own login, for its admin. Each token serves for one rotation. */
export async function signIn({ shopUrl, admin: { name, password } }: Stage): Promise<string> {
  const response = await fetch(`${shopUrl}/staff/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const answer: unknown = await response.json();
  const isToken = typeof answer === 'object' && answer !== null && 'access_token' in answer;
  if (response.status === 200 && isToken) return String(answer.access_token);
  throw new Error(`The shop's login answered ${response.status}.`);
}
