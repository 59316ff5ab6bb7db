import { randomBytes } from 'node:crypto';
import { mintKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { isNightly } from '../support/depth.ts';
import { eventually } from '../support/eventually.ts';
import { requestWith } from '../support/memory-credentials.ts';
import { type ProxiedHost, startProxiedHost } from './proxied-host.ts';

const GUESSES = isNightly ? 100_000 : 5_000;
/** What one address may get wrong in a minute. */
const ALLOWED = 20;
/** The statement as it is run, in the frame of PostgreSQL: when it is prepared, no NUL precedes. */
const LOOK_UP = '\0pm_keys_look_up_';

describe('guessed keys', function () {
  this.timeout(30_000);
  let host: ProxiedHost;
  let proxy: ProxiedHost['proxy'];
  let paymount: ProxiedHost['paymount'];
  let clock: FakeClock;
  let url: string;
  let known: string;

  before(async () => {
    // It stands still, as limits are filled up again by time.
    clock = fakeClock('2026-05-01T12:00:00.000Z');
    host = await startProxiedHost({ clock, trustedProxies: ['127.0.0.1'] });
    ({ paymount, proxy } = host);
    url = `${host.url}/v1/balance`;
    known = (await makeKey(paymount, await makeAccount(paymount, 'A shop'))).secret;
    // Until it is cached, under a lease that was read, and changes of access are listened to; past
    // the router, which records each use.
    const { guard } = partsOf(paymount);
    const asked = () => guard.authenticate(requestWith(`Bearer ${known}`), 'test');
    await eventually(async () => {
      const answer = asked();
      await answer;
      return !(answer instanceof Promise) && proxy.count('LISTEN') > 0;
    });
  });
  after(() => host.close());

  const from = (address: string, key: string): Promise<Reply> =>
    ask(url, { key, headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' } });

  /** Well-formed but for its check characters. */
  function typo(): string {
    const letters = randomBytes(60).toString('base64').replace(/[+/=]/g, '').slice(0, 38);
    return `sk_test_pm${letters.padEnd(38, '0')}`;
  }

  it('cost the database nothing, not a byte, when their check characters are wrong', async () => {
    const before = proxy.bytes;
    const { guard } = partsOf(paymount);
    for (let guess = 0; guess < GUESSES; guess += 1) {
      let code: string | undefined;
      try {
        void guard.authenticate(requestWith(`Bearer ${typo()}`), 'test');
      } catch (error) {
        code = PaymountError.is(error) ? error.code : String(error);
      }
      if (code !== 'api_key_malformed') throw new Error(`A guess was answered ${String(code)}.`);
    }
    for (let guess = 0; guess < 200; guess += 1) {
      const reply = await from('192.0.2.1', typo());
      expect([reply.status, reply.error['code']]).to.deep.equal([401, 'api_key_malformed']);
    }
    expect(proxy.bytes, proxy.since(before)).to.equal(before);
  });

  it('are refused with 429 after 20 look-ups in vain, and looked up no more', async () => {
    for (let guess = 0; guess < ALLOWED; guess += 1) {
      const reply = await from('192.0.2.2', mintKey('secret', 'test'));
      expect([reply.status, reply.error['code']]).to.deep.equal([401, 'api_key_invalid']);
    }
    const lookUps = proxy.count(LOOK_UP);
    expect(lookUps).to.be.at.least(ALLOWED);
    for (let guess = 0; guess < 100; guess += 1) {
      const reply = await from('192.0.2.2', mintKey('secret', 'test'));
      expect([reply.status, reply.error['code']], reply.text).to.deep.equal([429, 'rate_limit']);
      expect(Number(reply.headers['retry-after'])).to.be.within(1, 60);
      expect(reply.headers['www-authenticate']).to.equal(undefined);
    }
    expect(proxy.count(LOOK_UP)).to.equal(lookUps);
  });

  it('are not looked up more often when they come all at once', async () => {
    const lookUps = proxy.count(LOOK_UP);
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => from('192.0.2.4', mintKey('secret', 'test'))),
    );
    const looked = replies.filter(({ status }) => status === 401);
    expect(looked.length).to.be.within(1, ALLOWED);
    // On a slow machine a look-up may end without an answer; then it told nothing, and counts for none.
    const unanswered = replies.filter(({ status }) => status === 503).length;
    expect(proxy.count(LOOK_UP) - lookUps).to.be.at.most(ALLOWED + unanswered);
    const codes = new Set(replies.map(({ status, error }) => `${status} ${String(error['code'])}`));
    expect(
      [...codes].filter(
        (code) => !/^(?:401 api_key_invalid|429 rate_limit|503 unavailable)$/.test(code),
      ),
    ).to.deep.equal([]);
  });

  it('stay refused from any address of the same IPv6 network, and from no other', async () => {
    for (let guess = 0; guess < ALLOWED; guess += 1) {
      const address = `2001:db8:0:1::${guess.toString(16)}`;
      expect((await from(address, mintKey('secret', 'test'))).status).to.equal(401);
    }
    const statuses = await Promise.all(
      ['2001:db8:0:1:ffff::1', '2001:db8:0:2::1', '::ffff:192.0.2.2', '192.0.2.3'].map(
        async (address) => (await from(address, mintKey('secret', 'test'))).status,
      ),
    );
    expect(statuses).to.deep.equal([429, 401, 429, 401]);
  });

  it('from an address do not block a valid key that was in use there', async () => {
    expect((await from('192.0.2.2', known)).status).to.equal(200);
  });

  it('are let in to be looked up again as time goes by', async () => {
    const lookUps = proxy.count(LOOK_UP);
    clock.advance(60_000);
    const reply = await from('192.0.2.2', mintKey('secret', 'test'));
    expect(reply.error['code']).to.equal('api_key_invalid');
    expect(proxy.count(LOOK_UP)).to.be.above(lookUps);
  });

  it('that are repeated are looked up once in a while', async () => {
    const guess = mintKey('secret', 'test');
    await from('192.0.2.9', guess);
    const lookUps = proxy.count(LOOK_UP);
    for (let repeated = 0; repeated < 15; repeated += 1) {
      const reply = await from('192.0.2.9', guess);
      expect(reply.error['code']).to.equal('api_key_invalid');
    }
    // What is known is forgotten when a lease lapses, as on a machine that is busy for half a second.
    // Even if all were looked up, they are too few to be refused for their number.
    expect(proxy.count(LOOK_UP) - lookUps).to.be.below(8);
  });
});
