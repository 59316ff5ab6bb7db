import { randomBytes } from 'node:crypto';
import type { AccountId } from '@paymount/core/kernel';
import { Redis } from 'ioredis';
import { jwtAdmin, type Paymount } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { type GithubSigner, startGithubSigner } from '../support/github-signer.ts';
import { hasRedis, isolatedRedis } from '../support/isolated-redis.ts';
import { AUDIENCE, type Issuer, startIssuer } from '../support/issuer.ts';
import { LiveBank } from '../support/live-bank.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type ToldLog, toldLog } from './captured-log.ts';

/** A host in which every secret is known to the test, and every face is mounted. */
export interface CanaryHost {
  readonly app: TestApp;
  readonly paymount: Paymount;
  readonly account: AccountId;
  readonly clock: ReturnType<typeof fakeClock>;
  /** By what they are. */
  readonly canaries: Map<string, string>;
  readonly log: ToldLog;
  readonly receiver: Receiver;
  readonly github: GithubSigner;
  readonly issuer: Issuer;
  /** With the password of the database in it. */
  readonly databaseUrl: string;
  /** With its password; absent where there is no Redis. */
  readonly redisUrl: string | undefined;
  close(): Promise<void>;
}

const password = (): string => randomBytes(18).toString('base64url');

/** Starts it: `/v1` of test at `/test` and of live at `/live`, `/admin`, and `/leaks/github`. */
export async function startCanaryHost(): Promise<CanaryHost> {
  const log = toldLog();
  const clock = fakeClock();
  const canaries = new Map<string, string>();
  const [github, issuer, receiver] = await Promise.all([
    startGithubSigner(),
    startIssuer(),
    startReceiver(),
  ]);
  const redis = await lockedRedis(canaries);
  const database = await freshDatabase();
  const databaseUrl = withPassword(database.url, canaries);
  const ring = [...makeSealingKeys(), { ...makeSealingKeys()[0], kid: 'older' }] as {
    kid: string;
    key: string;
  }[];
  for (const { kid, key } of ring) canaries.set(`sealing key ${kid}`, key);
  canaries.set('SMTP password', password());
  const smtp = `smtp://mailer:${canaries.get('SMTP password')}@127.0.0.1:1`;
  const { issuer: iss, jwksUri } = issuer;
  const app = await startApp({
    paymount: {
      database: databaseUrl,
      sealingKeys: ring,
      logger: log.logger,
      clock,
      processors: { live: new LiveBank(clock) },
      leaks: { github: { keysUrl: github.keysUrl } },
      mail: { smtp, from: 'payments@shop.example', operator: 'ops@shop.example' },
      ...(redis && { redis: redis.url }),
    },
    mount: (host, paymount) => {
      host.use(paymount.leakRouter());
      host.use(
        '/admin',
        paymount.managementRouter({
          authenticate: jwtAdmin({ issuer: iss, audience: AUDIENCE, jwksUri }),
        }),
      );
      host.use('/test', paymount.router({ environment: 'test' }));
      host.use('/live', paymount.router({ environment: 'live' }));
    },
  });
  return {
    app,
    paymount: app.paymount,
    account: app.account,
    clock,
    canaries,
    log,
    receiver,
    github,
    issuer,
    databaseUrl,
    redisUrl: redis?.url,
    async close() {
      await app.close();
      await Promise.all([receiver.close(), github.close(), issuer.close(), redis?.stop()]);
      await database.drop();
    },
  };
}

/** A server that trusts everybody takes any password; another one's is a canary as it is. */
function withPassword(databaseUrl: string, canaries: Map<string, string>): string {
  const url = new URL(databaseUrl);
  if (url.password === '') url.password = password();
  canaries.set('database password', url.password);
  return url.href;
}

async function lockedRedis(canaries: Map<string, string>) {
  if (!hasRedis()) return undefined;
  const redis = await isolatedRedis();
  if (redis === undefined) return undefined;
  const secret = password();
  canaries.set('Redis password', secret);
  const client = new Redis(redis.url);
  await client.config('SET', 'requirepass', secret);
  client.disconnect();
  return { url: redis.url.replace('redis://', `redis://:${secret}@`), stop: () => redis.stop() };
}
