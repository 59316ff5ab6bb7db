import { query } from '../support/database.ts';
import type { ApiAnswer } from './api-client.ts';
import type { Host } from './host.ts';
import { type ConnectingPlatform, openPlatform } from './platform.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

const EXCHANGES_AT_ONCE = 50;
const REFRESHES_AT_ONCE = 8;
const REVOCATION_LIMIT_MS = 500;
const POINTS = ['before_commit', 'after_commit'] as const;

/** Several hosts on one database, so that nothing in memory decides a race. */
interface Run {
  readonly setting: Setting;
  readonly platform: ConnectingPlatform;
  readonly hosts: readonly [Host, Host, ...Host[]];
  readonly tally: Tally;
  readonly violations: string[];
}

/** RFC 6749, section 4.1.2: a code is used once, and its tokens die when it comes back. */
export const codes: Scenario = {
  name: 'oauth-codes',
  law: 'Of 50 simultaneous exchanges of one code exactly one succeeds, and its tokens die.',
  sizes: { small: 4, nightly: 100, full: 1_000 },
  run: (rounds) => withRounds(rounds, codeRound, 2),
};

/** RFC 9700, section 4.14.2: one successor of a refresh token, whoever asks at the same time. */
export const refreshes: Scenario = {
  name: 'oauth-refreshes',
  law: 'Eight simultaneous refreshes of one token get one pair; a later one ends it everywhere.',
  sizes: { small: 4, nightly: 100, full: 1_000 },
  run: (rounds) => withRounds(rounds, refreshRound, 4),
};

/** A platform whose token request broke has tokens, or gets them, or may be approved again. */
export const oauthCrashes: Scenario = {
  name: 'oauth-crashes',
  law: 'A host killed at any point of an exchange or refresh uses up nothing without tokens.',
  sizes: { small: 1, nightly: 3, full: 10 },
  run: (rounds) => withRounds(rounds, crashRound, 2),
};

async function withRounds(
  rounds: number,
  round: (run: Run, number: number) => Promise<void>,
  hostCount: number,
): Promise<Findings> {
  return withSetting(async (setting) => {
    const platform = await openPlatform(setting);
    try {
      const others = Array.from({ length: hostCount - 2 }, () => setting.start());
      const pair = await Promise.all([setting.start(), setting.start()]);
      const hosts = [...pair, ...(await Promise.all(others))] as const;
      const run: Run = { setting, platform, hosts, tally: new Tally(), violations: [] };
      for (let number = 0; number < rounds; number += 1) await round(run, number);
      return { violations: run.violations, counts: run.tally.toCounts() };
    } finally {
      await platform.close();
    }
  });
}

async function atOnce(run: Run, count: number, parameters: object): Promise<readonly ApiAnswer[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      run.platform.ask(
        (run.hosts[index % run.hosts.length] ?? run.hosts[0]).url,
        'token',
        parameters,
      ),
    ),
  );
  for (const { status } of answers) run.tally.add(String(status));
  return answers;
}

async function codeRound(run: Run, number: number): Promise<void> {
  const { platform, hosts, violations } = run;
  const exchange = { grant_type: 'authorization_code', code: await platform.approve() };
  const answers = await atOnce(run, EXCHANGES_AT_ONCE, exchange);
  const won = answers.filter(({ status }) => status === 200);
  if (won.length !== 1) violations.push(`Round ${number}: ${won.length} exchanges succeeded.`);
  const odd = answers.filter(
    ({ status, json }) => status !== 200 && json['error'] !== 'invalid_grant',
  );
  for (const { status, text } of odd) violations.push(`Round ${number}: ${status} ${text}`);
  for (const { url } of hosts) {
    if (await platform.mayRead(url, String(won[0]?.json['access_token']))) {
      violations.push(`Round ${number}: the access token works after the code came back.`);
    }
  }
}

async function refreshRound(run: Run, number: number): Promise<void> {
  const { platform, hosts, violations } = run;
  const [{ url }] = hosts;
  const first = await connect(run, hosts[0]);
  const refresh = { grant_type: 'refresh_token', refresh_token: first.json['refresh_token'] };
  const answers = await atOnce(run, REFRESHES_AT_ONCE, refresh);
  const pairs = new Set(
    answers.map(({ status, json, text }) =>
      status === 200 ? `${String(json['access_token'])} ${String(json['refresh_token'])}` : text,
    ),
  );
  const [pair = ''] = pairs;
  const [accessToken = '', refreshToken = ''] = pair.split(' ');
  if (pairs.size !== 1 || !(await platform.mayRead(url, accessToken))) {
    violations.push(`Round ${number}: the answers were ${[...pairs].join(', ')}`);
  }
  const next = await platform.ask(url, 'token', { ...refresh, refresh_token: refreshToken });
  if (next.status !== 200) violations.push(`Round ${number}: the successor got ${next.text}`);
  // Every host has accepted the token, and keeps it.
  for (const host of hosts) await platform.mayRead(host.url, String(next.json['access_token']));
  const reused = await platform.ask(url, 'token', refresh);
  if (reused.json['error'] !== 'invalid_grant') {
    violations.push(`Round ${number}: the reuse got ${reused.status} ${reused.text}`);
  }
  const startedMs = performance.now();
  for (const host of hosts) {
    while (await platform.mayRead(host.url, String(next.json['access_token']))) {
      if (performance.now() - startedMs < REVOCATION_LIMIT_MS) continue;
      violations.push(`Round ${number}: a token works 500 ms after the reuse.`);
      break;
    }
  }
}

async function crashRound(run: Run, number: number): Promise<void> {
  for (const point of POINTS) {
    await crashedExchange(run, point, `Round ${number}, exchange.${point}`);
    await crashedRefresh(run, point, `Round ${number}, refresh.${point}`);
  }
  const used = await query(
    run.setting.databaseUrl,
    `SELECT c.grant_id FROM paymount.authorization_codes c WHERE c.used_at IS NOT NULL
     AND NOT EXISTS (SELECT FROM paymount.refresh_tokens r WHERE r.grant_id = c.grant_id)`,
  );
  if (used.length > 0) run.violations.push(`Round ${number}: ${used.length} codes have no tokens.`);
}

/** The code works once more after a crash before the commit; after it, the merchant approves again. */
async function crashedExchange(
  run: Run,
  point: (typeof POINTS)[number],
  where: string,
): Promise<void> {
  const { platform, hosts, violations } = run;
  const exchange = { grant_type: 'authorization_code', code: await platform.approve() };
  await dieAsking(run, `exchange.${point}`, exchange, where);
  const retried = await platform.ask(hosts[0].url, 'token', exchange);
  const expected = point === 'before_commit' ? 200 : 400;
  if (retried.status !== expected) violations.push(`${where}: the retry got ${retried.text}`);
  const again = await connect(run, hosts[0]);
  if (!(await platform.mayRead(hosts[0].url, String(again.json['access_token'])))) {
    violations.push(`${where}: the platform is locked out.`);
  }
}

/** The repeated request gets a pair that works, on both sides of the commit. */
async function crashedRefresh(
  run: Run,
  point: (typeof POINTS)[number],
  where: string,
): Promise<void> {
  const { platform, hosts, violations } = run;
  const { json } = await connect(run, hosts[0]);
  const refresh = { grant_type: 'refresh_token', refresh_token: json['refresh_token'] };
  await dieAsking(run, `refresh.${point}`, refresh, where);
  const retried = await platform.ask(hosts[0].url, 'token', refresh);
  const works =
    retried.status === 200 &&
    (await platform.mayRead(hosts[1].url, String(retried.json['access_token'])));
  if (!works) violations.push(`${where}: the retry got ${retried.status} ${retried.text}`);
}

async function dieAsking(
  { setting, platform, tally, violations }: Run,
  point: string,
  parameters: object,
  where: string,
): Promise<void> {
  const doomed = await setting.start({ crash: { point, visit: 1 } });
  const answer = await platform.ask(doomed.url, 'token', parameters).catch(() => undefined);
  if (answer !== undefined) violations.push(`${where}: the dying host answered ${answer.text}`);
  const { signal } = await doomed.ended;
  if (signal !== 'SIGKILL') violations.push(`${where}: the host ended by ${signal ?? 'itself'}.`);
  tally.add('kills');
}

async function connect({ platform }: Run, { url }: Host): Promise<ApiAnswer> {
  const code = await platform.approve();
  const answer = await platform.ask(url, 'token', { grant_type: 'authorization_code', code });
  if (answer.status !== 200) throw new Error(`No connection: ${answer.text}`);
  return answer;
}
