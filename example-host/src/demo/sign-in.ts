import type { Setup } from './setup.ts';

/** Signs an admin in with the shop's own login. Each token works for one rotation. */
export async function signIn({ shopUrl, admin: { name, password } }: Setup): Promise<string> {
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
