import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import type { TestHostOptions } from '../support/host.ts';

const LISTED = '203.0.113.7';
/** What a mount of a host without proxies hears from, and no list here names. */
const OTHERS = ['2001:db8:1:2::/64', `${LISTED}/32`];

/** Headers in which proxies of all makes name the client, and so do those who forge. */
const NAMING: readonly (readonly [name: string, of: (address: string) => string])[] = [
  ['x-forwarded-for', (address) => address],
  ['x-forwarded-for', (address) => `${address}, ${address}`],
  ['x-forwarded-for', (address) => `::ffff:${address}`],
  ['x-forwarded-for', (address) => `${address}, 127.0.0.1`],
  ['x-forwarded-for', (address) => `${`${address},`.repeat(500)}127.0.0.1`],
  ['x-forwarded-for', () => '2001:db8:1:2::1'],
  ['forwarded', (address) => `for=${address};proto=https`],
  ['x-real-ip', (address) => address],
  ['x-client-ip', (address) => address],
  ['true-client-ip', (address) => address],
  ['cf-connecting-ip', (address) => address],
  ['fastly-client-ip', (address) => address],
  ['x-cluster-client-ip', (address) => address],
  ['x-original-forwarded-for', (address) => address],
  ['x-envoy-external-address', (address) => address],
  ['via', (address) => `1.1 ${address}`],
  ['remote-addr', (address) => address],
  ['host', (address) => address],
];

describe('an address that a client claims', () => {
  /** Without `requireTls: false`, whoever claims to forward is refused before the address is looked at. */
  const mount: NonNullable<TestHostOptions['mount']> = (app, paymount) => {
    app.use(paymount.router({ environment: 'test', requireTls: false }));
  };
  /** With no proxy that is trusted, with one that is none of ours, and in an app that trusts all. */
  const hosts: Readonly<Record<string, Parameters<typeof startApp>[0]>> = {
    'no proxy': {},
    'a proxy elsewhere': { paymount: { trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] } },
    'an app that trusts every proxy': {
      mount: (app, paymount) => {
        app.set('trust proxy', true);
        mount(app, paymount);
      },
    },
  };

  for (const [host, options] of Object.entries(hosts)) {
    describe(`to a host with ${host}`, () => {
      let app: TestApp;
      let listed: string;

      before(async () => {
        // It stands still, as limits are filled up again by time.
        const clock = fakeClock('2026-05-01T12:00:00.000Z');
        const paymount = { clock, rateLimit: {}, ...options?.paymount };
        app = await startApp({ mount, ...options, paymount });
        const made = { account: app.account, livemode: false, type: 'secret' } as const;
        const named = { ...made, name: 'Listed', allowed_ips: OTHERS };
        listed = (await app.paymount.keys.create(named)).secret;
      });
      after(() => app.close());

      it('opens no key that other addresses are listed for', async () => {
        for (const [name, of] of NAMING) {
          const headers = { [name]: of(LISTED) };
          const reply = await ask(`${app.url}/v1/charges`, { key: listed, headers });
          const what = `${name}: ${of(LISTED).slice(0, 80)} ${reply.text}`;
          expect([reply.status, reply.error['code']], what).to.deep.equal([403, 'ip_not_allowed']);
          expect(reply.text).to.not.include(LISTED);
        }
      });

      it('is not where guesses are counted', async () => {
        const statuses: number[] = [];
        for (let guess = 0; guess < 25; guess += 1) {
          const [name, of] = NAMING[guess % NAMING.length] ?? ['x', String];
          const headers = { [name]: of(`198.51.100.${guess}`) };
          const key = mintKey('secret', 'test');
          statuses.push((await ask(`${app.url}/v1/charges`, { key, headers })).status);
        }
        expect(statuses).to.deep.equal([
          ...Array.from({ length: 20 }, () => 401),
          ...Array.from({ length: 5 }, () => 429),
        ]);
      });
    });
  }
});
