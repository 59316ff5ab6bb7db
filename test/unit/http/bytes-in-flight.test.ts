import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { newId, type Principal } from '@paymount/core/kernel';
import { BytesInFlight } from '@paymount/http';
import { expect } from 'chai';
import { ask, postJson, readReply } from '../../support/ask.ts';
import { eventually } from '../../support/eventually.ts';
import { type MountedApi, mountApi, toPrincipal } from './mounted-api.ts';

const MB = 1_048_576;

describe('the bytes of requests in memory', () => {
  let bytes: BytesInFlight;
  beforeEach(() => {
    bytes = new BytesInFlight();
  });

  /** The code of a refusal, or `taken`; the keys of an account are the caller with its name. */
  const take = (
    pool: 'live' | 'live visitors' | 'dashboard' | 'admin',
    [account, caller]: readonly [string, string],
    size: number,
  ): string => {
    try {
      bytes.open({ pool, caller, ...(account !== caller && { account }) }).take(size);
      return 'taken';
    } catch (error) {
      return String((error as { code: string }).code);
    }
  };

  it('are at most 96 MiB of the platforms of one account, and its own keys have as much as before', () => {
    expect(take('live', ['a', 'grant 1'], 64 * MB)).to.equal('taken');
    expect(take('live', ['a', 'grant 1'], MB)).to.equal('bytes_limit_reached');
    expect(take('live', ['a', 'grant 2'], 32 * MB)).to.equal('taken');
    expect(take('live', ['a', 'grant 3'], MB)).to.equal('bytes_limit_reached');
    expect(take('live', ['a', 'a'], 64 * MB)).to.equal('taken');
    expect(take('live', ['b', 'b'], 64 * MB)).to.equal('taken');
    expect(take('live', ['c', 'c'], 64 * MB)).to.equal('bodies_busy');
  });

  it('of platforms take no room for small requests from the keys of their account', () => {
    for (const account of ['a', 'b', 'c', 'd']) take('live', [account, account], 64 * MB);
    for (let count = 0; count < 32; count += 1) {
      expect(take('live', ['a', `grant ${count}`], 65_536)).to.equal('taken');
    }
    expect(take('live', ['a', 'grant'], 1_024)).to.equal('bodies_busy');
    expect(take('live', ['a', 'a'], 1_024)).to.equal('taken');
  });

  it('are taken of small requests when large ones fill the process, or the account', () => {
    for (const account of ['a', 'b', 'c', 'd']) take('live', [account, account], 64 * MB);
    expect(take('live', ['e', 'e'], 65_537)).to.equal('bodies_busy');
    for (const account of ['a', 'e']) {
      for (let count = 0; count < 32; count += 1) {
        expect(take('live', [account, account], 65_536)).to.equal('taken');
      }
    }
    expect(take('live', ['a', 'a'], 65_536)).to.equal('bytes_limit_reached');
    expect(take('live', ['f', 'f'], 1_024)).to.equal('taken');
  });

  it('count as large from the byte on that makes a request large', () => {
    const held = bytes.open({ pool: 'live', caller: 'a' });
    for (let count = 0; count < 64; count += 1) held.take(MB / 64);
    for (let count = 0; count < 63; count += 1) held.take(MB);
    expect(take('live', ['a', 'a'], MB)).to.equal('bytes_limit_reached');
    for (let count = 0; count < 32; count += 1) {
      expect(take('live', ['a', 'a'], 65_536)).to.equal('taken');
    }
    held.release();
    expect(take('live', ['a', 'a'], 64 * MB)).to.equal('taken');
  });

  it('of visitors, and of users of the dashboard, take nothing from servers and admins', () => {
    expect(take('live visitors', ['a', 'key 203.0.113.1'], 4 * MB)).to.equal('taken');
    expect(take('live visitors', ['a', 'key 203.0.113.1'], MB)).to.equal('bytes_limit_reached');
    for (const at of [2, 3, 4, 5, 6]) {
      expect(take('live visitors', ['a', `key 203.0.113.${at}`], 4 * MB)).to.equal('taken');
    }
    expect(take('live visitors', ['a', 'key 203.0.113.7'], MB)).to.equal('bytes_limit_reached');
    for (const account of ['b', 'c']) {
      for (const at of [1, 2, 3, 4, 5])
        take('live visitors', [account, `${account} ${at}`], 4 * MB);
    }
    expect(take('live visitors', ['d', 'key 1'], MB)).to.equal('bodies_busy');
    for (const account of ['a', 'b']) take('dashboard', [account, `user of ${account}`], 64 * MB);
    expect(take('dashboard', ['c', 'user of c'], MB)).to.equal('bodies_busy');
    expect(take('live', ['a', 'a'], 64 * MB)).to.equal('taken');
    expect(take('admin', ['', 'admin'], 64 * MB)).to.equal('taken');
  });

  it('of a visitor have room for a form whatever other visitors of the shop send', () => {
    for (let at = 0; at < 24; at += 1) take('live visitors', ['a', `slow ${at}`], MB);
    for (let at = 0; at < 24; at += 1) {
      expect(take('live visitors', ['a', `slow ${at}`], 65_536)).to.equal('taken');
      expect(take('live visitors', ['a', `slow ${at}`], 1_024)).to.equal('bytes_limit_reached');
    }
    expect(take('live visitors', ['a', 'honest'], 1_024)).to.equal('taken');
  });

  it('of an answer that must not be refused count beyond the limit', () => {
    const held = bytes.open({ pool: 'live', caller: 'a' });
    held.take(64 * MB);
    held.add(MB);
    expect(take('live', ['a', 'a'], MB)).to.equal('bytes_limit_reached');
    held.release();
    expect(take('live', ['a', 'a'], 64 * MB)).to.equal('taken');
  });
});

describe('the body of a visitor', () => {
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi();
  });
  after(() => mounted.close());

  it('has at most 131,072 bytes; that of a server may have more', async () => {
    for (const [key, size, code] of [
      ['pk', 131_072, 'resource_missing'],
      ['pk', 131_073, 'body_too_large'],
      ['sk', 131_073, 'resource_missing'],
    ] as const) {
      const empty = JSON.stringify({ type: 'card', card: { token: 'tok_visa' } });
      const body = empty.padEnd(size);
      const headers = { 'content-type': 'application/json' };
      const { error } = await ask(`${mounted.url}/v1/payment_methods`, { body, key, headers });
      expect(error['code'], `${key} ${size}`).to.equal(code);
    }
  });

  it('must arrive within 3 s', async () => {
    const headers = {
      authorization: 'Bearer pk',
      'content-type': 'application/json',
      'content-length': 100,
    };
    const url = `${mounted.url}/v1/payment_methods`;
    const sent = httpRequest(url, { method: 'POST', headers, agent: false });
    sent.write('{');
    const startedMs = performance.now();
    const [response] = await once(sent, 'response');
    const { status, error } = await readReply(response);
    expect([status, error['code']]).to.deep.equal([408, 'body_timeout']);
    expect(performance.now() - startedMs).to.be.within(2_900, 8_000);
    sent.destroy();
  });
});

describe('the bodies of a process', () => {
  const SIZE = 100_000;
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi({ bytes: new BytesInFlight({ perProcess: 1.5 * SIZE }) });
    mounted.principals.set('other', { ...toPrincipal({}), accountId: newId('acct') });
  });
  after(() => mounted.close());

  it('are limited whoever sends them, and their bytes are given back when one breaks off', async () => {
    const headers = {
      authorization: 'Bearer sk',
      'content-type': 'application/json',
      'content-length': 2 * SIZE,
    };
    const hanging = httpRequest(`${mounted.url}/v1/charges`, {
      method: 'POST',
      headers,
      agent: false,
    });
    hanging.on('error', () => undefined);
    hanging.write(`{"description":"${'a'.repeat(SIZE)}`);
    const body = { amount: 4_200, currency: 'eur', description: 'a'.repeat(SIZE) };
    const send = () => postJson(`${mounted.url}/v1/charges`, body, { key: 'other' });
    const refused = await eventually(send, ({ status }) => status === 503);
    expect([refused.error['code'], refused.headers['retry-after']]).to.deep.equal([
      'bodies_busy',
      '1',
    ]);
    hanging.destroy();
    await eventually(send, ({ status }) => status !== 503);
  });
});

describe('the bodies of the platforms of an account', () => {
  const SIZE = 100_000;
  const closings: (() => void)[] = [];
  const closeAll = (): void => {
    for (const close of closings.splice(0)) close();
  };
  let mounted: MountedApi;
  before(async () => {
    const bytes = new BytesInFlight({ perCaller: 2 * SIZE, perAccount: 2.5 * SIZE });
    mounted = await mountApi({ bytes });
    for (const name of ['one', 'two', 'three']) mounted.principals.set(name, toToken());
  });
  after(() => {
    closeAll();
    return mounted.close();
  });

  /** Sends a body without its end. */
  const hang = (key: string): void => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': 2 * SIZE,
    };
    const url = `${mounted.url}/v1/charges`;
    const sent = httpRequest(url, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.write(`{"description":"${'a'.repeat(SIZE)}`);
    closings.push(() => sent.destroy());
  };

  it('count together', async () => {
    const body = { description: 'a'.repeat(SIZE) };
    const refused = await eventually(
      async () => {
        closeAll();
        hang('one');
        hang('two');
        return postJson(`${mounted.url}/v1/charges`, body, { key: 'three' });
      },
      ({ status }) => status === 429,
    );
    expect([refused.error['code'], refused.error['message']]).to.deep.equal([
      'bytes_limit_reached',
      'The requests and answers of all platforms of this account that are in progress would have more than 250000 bytes.',
    ]);
    const own = await postJson(`${mounted.url}/v1/charges`, body, { key: 'sk' });
    expect(own.error['code']).to.equal('parameter_missing');
  });
});

function toToken(): Principal {
  const { accountId, environment, scopes } = toPrincipal({});
  const grantId = newId('grt');
  return {
    kind: 'token',
    accountId,
    environment,
    scopes,
    platformId: newId('ca'),
    grantId,
    snapshot: {
      tokenId: newId('atk'),
      grantId,
      grantVersion: 1,
      platformVersion: 1,
      accountVersion: 1,
    },
  };
}
