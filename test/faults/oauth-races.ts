import type { Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { type OAuthStage, startOAuthStage } from '../support/oauth-stage.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';

const EXCHANGES_AT_ONCE = 50;
const REFRESHES_AT_ONCE = 8;

interface Race {
  readonly stage: OAuthStage;
  readonly tally: Tally;
  readonly violations: string[];
}

/** RFC 6749, section 4.1.2: a code works once, and the second use revokes what the first one got. */
export const codes: Scenario = {
  name: 'oauth-codes',
  law: 'Of 50 simultaneous exchanges of one code exactly one gets tokens, and the others end them.',
  sizes: { small: 3, nightly: 100, full: 1_000 },
  run: (rounds) => inRounds(rounds, codeRound),
};

/** A platform whose processes refresh at once is not locked out, and has one family of tokens. */
export const refreshes: Scenario = {
  name: 'oauth-refreshes',
  law: 'Eight simultaneous refreshes of one token get the same pair, byte for byte, which works.',
  sizes: { small: 5, nightly: 100, full: 1_000 },
  run: (rounds) => inRounds(rounds, refreshRound),
};

async function inRounds(
  rounds: number,
  round: (race: Race, number: number) => Promise<void>,
): Promise<Findings> {
  const off = { requests: 1e9, seconds: 1 };
  const stage = await startOAuthStage({ paymount: { rateLimit: { platform: off } } });
  try {
    const race: Race = { stage, tally: new Tally(), violations: [] };
    for (let number = 0; number < rounds; number += 1) await round(race, number);
    return { violations: race.violations, counts: race.tally.toCounts() };
  } finally {
    await stage.close();
  }
}

function atOnce({ stage, tally }: Race, times: number, form: Record<string, string>) {
  const sent = Array.from({ length: times }, async (): Promise<Reply> => {
    const reply = await stage.post('token', form);
    tally.add(String(reply.json['error'] ?? reply.status));
    return reply;
  });
  return Promise.all(sent);
}

async function codeRound(race: Race, number: number): Promise<void> {
  const { stage, violations } = race;
  const code = await stage.approve();
  const form = { grant_type: 'authorization_code', code };
  const replies = await atOnce(race, EXCHANGES_AT_ONCE, form);
  const won = replies.filter(({ status }) => status === 200);
  if (won.length !== 1) violations.push(`Round ${number}: ${won.length} exchanges got tokens.`);
  for (const { status, json, text } of replies) {
    const isLost = status === 400 && json['error'] === 'invalid_grant';
    const isLate = status === 503 && json['error'] === 'temporarily_unavailable';
    if (status !== 200 && !isLost && !isLate) violations.push(`Round ${number}: ${text}`);
  }
  const issued = String(won[0]?.json['access_token']);
  const { json } = await stage.post('introspect', { token: issued });
  if (json['active'] !== false) violations.push(`Round ${number}: the tokens still work.`);
}

async function refreshRound(race: Race, number: number): Promise<void> {
  const { stage, violations } = race;
  const { refresh_token: token } = await stage.connect();
  const form = { grant_type: 'refresh_token', refresh_token: String(token) };
  const replies = await atOnce(race, REFRESHES_AT_ONCE, form);
  const texts = new Set(replies.map(({ text }) => text));
  if (texts.size !== 1 || replies[0]?.status !== 200) {
    violations.push(`Round ${number}: ${texts.size} different answers: ${[...texts].join(' ')}`);
  }
  const pair = replies[0]?.json ?? {};
  const { json } = await stage.post('introspect', { token: String(pair['access_token']) });
  if (json['active'] !== true) violations.push(`Round ${number}: the new token does not work.`);
  const families = await query<{ tokens: number }>(
    stage.databaseUrl,
    `SELECT count(*)::integer AS tokens FROM paymount.refresh_tokens
     GROUP BY grant_id HAVING count(*) <> 2`,
  );
  if (families.length > 0) violations.push(`Round ${number}: a refresh made more than one child.`);
}
