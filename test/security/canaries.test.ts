import { rm } from 'node:fs/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { everyFile, everyRedisKey, everyRow, type FoundFile } from '../support/canary-remains.ts';
import { hasRedis } from '../support/isolated-redis.ts';
import { REDIS_CURE } from '../support/redis.ts';
import { skipUnless } from '../support/skip.ts';
import { encodedForms, seek } from './canary.ts';
import { type CanaryHost, startCanaryHost } from './canary-host.ts';
import { type Seen, useCanaries } from './canary-use.ts';

describe('secrets', () => {
  let canaries: ReadonlyMap<string, string>;
  let seen: Seen;
  let lines: string;
  let told: string;
  let tables: string;
  let redisContents: string | undefined;
  let files: readonly FoundFile[];
  let dumps: Readonly<Record<string, string>>;

  before(async function () {
    this.timeout(60_000);
    const host = await startCanaryHost();
    // Retries are planned, in Redis where there is one.
    host.receiver.otherwise(500);
    try {
      seen = await useCanaries(host);
      await host.receiver.waitFor(4);
      await host.app.worker.drain();
      await partsOf(host.paymount).usage.flush();
      dumps = dumpAll(host);
      tables = await everyRow(host.databaseUrl);
      if (host.redisUrl) redisContents = await everyRedisKey(host.redisUrl);
      files = await everyFile(seen.folder);
    } finally {
      await host.close();
      if (seen !== undefined) await rm(seen.folder, { recursive: true });
    }
    lines = host.log.written();
    told = host.log.told();
    canaries = host.canaries;
  });

  /** Whatever a host may write into its own log. */
  function dumpAll({ app, paymount }: CanaryHost): Record<string, string> {
    // What the host gave, and the client of Redis that was made of it, are the host's to keep.
    const { options: _, redis: __, ...parts } = partsOf(paymount);
    const all = { paymount, worker: app.worker, ...parts };
    return Object.fromEntries(
      Object.entries(all).map(([name, part]) => [
        name,
        inspect(part, { depth: 12, maxArrayLength: 500, maxStringLength: 100_000 }),
      ]),
    );
  }

  it('can be found by this test in any form', () => {
    const secret = 'sk_test_canary/+ 0123456789';
    const one = new Map([['canary', secret]]);
    for (const form of encodedForms(secret)) expect(seek(`..${form}..`, one)).to.have.lengthOf(1);
    for (const around of ['', 'x', 'xy', 'xyz']) {
      const hidden = Buffer.from(`${around}${secret} and more`).toString('base64');
      expect(seek(hidden, one), `after ${around.length}`).to.have.lengthOf(1);
    }
    expect(seek('nothing here', one)).to.deep.equal([]);
  });

  it('are many, and were used', () => {
    expect(canaries.size).to.be.at.least(30);
    for (const [name, secret] of canaries) expect(secret.length, name).to.be.at.least(15);
    const { answers, errors } = seen;
    expect(answers.filter((answer) => answer.includes('"status":"succeeded"'))).to.not.be.empty;
    expect(answers.filter((answer) => answer.includes('internal_error'))).to.not.be.empty;
    expect(errors).to.have.lengthOf.at.least(5);
  });

  it('are in no log line, not even of failing servers', () => {
    expect(lines).to.include('A request failed unexpectedly.');
    expect(seek(lines, canaries)).to.deep.equal([]);
  });

  it('are in no line that the host’s own logger receives', () => {
    expect(told).to.include('A request failed unexpectedly.');
    expect(seek(told, canaries)).to.deep.equal([]);
  });

  it('are in no answer but the one that shows a new one', () => {
    expect(seek(seen.answers.join('\n'), canaries)).to.deep.equal([]);
  });

  it('are in no error that the host’s own code catches', () => {
    expect(seek(seen.errors.join('\n'), canaries)).to.deep.equal([]);
  });

  it('are in nothing that a part shows of itself', () => {
    expect(Object.keys(dumps).length).to.be.at.least(25);
    const found = Object.entries(dumps).flatMap(([name, text]) =>
      seek(text, canaries).map((what) => `${name}: ${what}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('are in no row of any table', () => {
    expect(tables).to.match(/paymount\.key_usage .*shop\/1\.0 x_\.\.\./);
    expect(tables).to.match(/paymount\.audit_log .*shop\/1\.0 x_\.\.\./);
    for (const what of [
      'charge.succeeded',
      'key.rotate',
      'gist.example',
      'leaked and was revoked',
    ]) {
      expect(tables).to.include(what);
    }
    expect(seek(tables, canaries)).to.deep.equal([]);
  });

  it('are in no key and no job of Redis', function () {
    skipUnless(hasRedis(), `Redis (${REDIS_CURE})`, this);
    expect(redisContents).to.include('dlv_');
    expect(seek(redisContents ?? '', canaries)).to.deep.equal([]);
  });

  it('are in no file but the one that is made for sealing keys, which others cannot read', () => {
    expect(files.map(({ path }) => path.replace(/.*\.paymount/, '.paymount'))).to.deep.equal([
      '.paymount/keys',
    ]);
    for (const { path, mode, text } of files) {
      expect(mode, path).to.equal(0o600);
      expect(seek(text, canaries), path).to.deep.equal([]);
    }
  });
});
