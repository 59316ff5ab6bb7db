// `npm run test:clients -- [NAME...]`: runs clients that others made, unmodified, against a real app;
// each installs its own packages. A client whose language is not on this machine is skipped, and the
// last line counts: `N passed, N failed, N skipped`.
import { randomUUID } from 'node:crypto';
import { jwtAdmin } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { toClosingLine } from '../support/closing-line.ts';
import { AUDIENCE, startIssuer } from '../support/issuer.ts';
import { startServices } from '../support/services.ts';
import { CLIENTS } from './all-clients.ts';
import type { Access, Client, Outcome } from './client.ts';
import { runClient } from './run-client.ts';

const MOUNT = '/payments';
const MANAGEMENT_MOUNT = '/admin';
/** Clients that install for long need it late. */
const TOKEN_SECONDS = 7_200;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !CLIENTS.some((client) => client.name === name));
if (unknown.length > 0) {
  const known = CLIENTS.map(({ name }) => `  ${name}\n`).join('');
  process.stdout.write(`There is no client ${unknown.join(', ')}. There are:\n${known}`);
  process.exit(2);
}
const counts = { passed: 0, failed: 0, skipped: 0 };
const issuer = await startIssuer();
const services = await startServices(() => undefined);
Object.assign(process.env, services.environment);
try {
  const app = await startApp({
    mount: (host, paymount) => {
      const router = paymount.router({ environment: 'test' });
      const { issuer: iss, jwksUri } = issuer;
      const authenticate = jwtAdmin({
        issuer: iss,
        audience: AUDIENCE,
        jwksUri,
        accountsClaim: 'accounts',
        environmentsClaim: 'environments',
      });
      host.use(MANAGEMENT_MOUNT, paymount.managementRouter({ authenticate }));
      host.use(MOUNT, router);
      host.use(router);
    },
  });
  try {
    for (const client of CLIENTS) {
      if (names.length > 0 && !names.includes(client.name)) continue;
      const outcome = await runOne(client, app);
      counts[outcome.status] += 1;
    }
  } finally {
    await app.close();
  }
} finally {
  await services.stop();
  await issuer.close();
}
process.exitCode = counts.failed > 0 ? 1 : 0;
process.stdout.write(`${toClosingLine(counts)}\n`);

async function runOne(client: Client, app: TestApp): Promise<Outcome> {
  const startedMs = performance.now();
  const outcome = await toOutcome(client, app);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  if (outcome.status === 'failed') process.stdout.write(`${outcome.output}\n`);
  const status = outcome.status === 'passed' ? 'passed' : outcome.status.toUpperCase();
  process.stdout.write(`${client.name} ${status}, ${seconds} s: ${outcome.reason}\n`);
  return outcome;
}

/** One client that cannot be run must not keep the others from running. */
async function toOutcome(client: Client, app: TestApp): Promise<Outcome> {
  try {
    return await runClient(client, () => accessTo(app, client.name));
  } catch (error) {
    const output = error instanceof Error ? String(error.stack) : String(error);
    return { status: 'failed', reason: 'The client could not be run.', output };
  }
}

/** An account of its own, so that each client sees its own charges alone. */
async function accessTo(app: TestApp, name: string): Promise<Access> {
  const { accounts, keys } = app.paymount;
  const account = await accounts.create({ name, country: 'DE', default_currency: 'eur' });
  const createKey = (use: string): ReturnType<typeof keys.create> =>
    keys.create({
      account: account.id,
      livemode: false,
      type: 'secret',
      name: use,
    });
  const revoked = await createKey('to be revoked');
  await keys.revoke(revoked.id, { reason: 'owner' });
  return {
    API_URL: app.url + MOUNT,
    API_ORIGIN: app.url,
    SECRET_KEY: (await createKey('client')).secret,
    REVOKED_KEY: revoked.secret,
    RECEIVER_MODULE: new URL('../../packages/receiver/dist/index.js', import.meta.url).href,
    MANAGEMENT_URL: app.url + MANAGEMENT_MOUNT,
    ADMIN_TOKEN: await adminToken(),
  };
}

function adminToken(): Promise<string> {
  const seconds = Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000);
  return issuer.sign({
    iss: issuer.issuer,
    aud: AUDIENCE,
    sub: 'ada@shop.test',
    iat: seconds,
    exp: seconds + TOKEN_SECONDS,
    jti: randomUUID(),
    roles: ['admin'],
    accounts: 'all',
    environments: ['live', 'test'],
  });
}
