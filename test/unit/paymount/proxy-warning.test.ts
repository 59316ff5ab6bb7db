import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { proxyWarning } from '../../../packages/paymount/src/mount/proxy-warning.ts';
import { fakeClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';

function requestFrom(remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

function countWarnings(trustsProxies: boolean, ...requests: readonly IncomingMessage[]): number {
  const log = keptLog();
  const warn = proxyWarning(trustsProxies, { logger: log, clock: fakeClock() });
  for (const request of requests) warn(request);
  return log.lines.length;
}

describe('the warning about proxies that are not configured', () => {
  it('comes once, with whichever request a proxy on this machine or network forwards', () => {
    const near = ['127.0.0.1', '::ffff:10.1.2.3', '172.16.0.9', '192.168.1.1', '::1', 'fd00::1'];
    for (const address of [...near, undefined]) {
      const forwarded = requestFrom(address, '198.51.100.7');
      const found = countWarnings(false, requestFrom(address), forwarded, forwarded);
      expect(found, String(address)).to.equal(1);
    }
  });

  it('does not come of what strangers send, nor where proxies are named', () => {
    const [stranger, proxy] = [requestFrom('203.0.113.7', 'x'), requestFrom('127.0.0.1', 'x')];
    expect(countWarnings(false, stranger, requestFrom('127.0.0.1'))).to.equal(0);
    expect(countWarnings(true, proxy)).to.equal(0);
  });

  it('comes again after an hour', () => {
    const [log, clock] = [keptLog(), fakeClock()];
    const warn = proxyWarning(false, { logger: log, clock });
    const forwarded = requestFrom('10.0.0.1', '198.51.100.7');
    for (let minute = 0; minute < 121; minute += 1) {
      warn(forwarded);
      clock.advance(60_000);
    }
    expect(log.lines).to.have.length(3);
  });

  it('comes of a proxy that names no client, once it has forwarded for several accounts', () => {
    const count = (address: string, accounts: number, others: readonly string[] = []): number => {
      const log = keptLog();
      const warn = proxyWarning(false, { logger: log, clock: fakeClock() });
      for (const other of others) warn(requestFrom(other), 'acct_1');
      for (let at = 0; at < 1_000; at += 1) warn(requestFrom(address), `acct_${at % accounts}`);
      return log.lines.length;
    };
    expect(count('10.0.0.1', 2)).to.equal(1);
    expect(count('::ffff:172.16.3.4', 50)).to.equal(1);
    // One merchant may well be one machine, strangers have public addresses, and two are no proxy.
    expect(count('10.0.0.1', 1)).to.equal(0);
    expect(count('203.0.113.7', 2)).to.equal(0);
    expect(count('10.0.0.1', 2, ['10.0.0.2'])).to.equal(0);
  });
});
