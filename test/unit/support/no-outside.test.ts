import { lookup, Resolver } from 'node:dns/promises';
import net from 'node:net';
import { expect } from 'chai';
import { takeViolations } from '../../support/no-outside.ts';

async function rejectionCode(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'none',
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

function dial(options: net.TcpNetConnectOpts): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(options, resolve);
    socket.on('error', reject);
  });
}

describe('the guard that keeps tests on this machine', () => {
  it('refuses a public address, and reports it', async () => {
    expect(await rejectionCode(dial({ host: '192.0.2.1', port: 80 }))).to.equal('EPERM');
    expect(takeViolations()).to.deep.equal(['connect 192.0.2.1']);
  });

  it('refuses an address that a lookup of the caller gives', async () => {
    const options: net.TcpNetConnectOpts = {
      host: 'merchant.test',
      port: 80,
      lookup: (_host, _options, done) => done(null, [{ address: '198.51.100.7', family: 4 }]),
    };
    expect(await rejectionCode(dial(options))).to.equal('EPERM');
    expect(takeViolations()).to.deep.equal(['connect merchant.test (198.51.100.7)']);
  });

  it('refuses to resolve a public name, in every way node offers', async () => {
    expect(await rejectionCode(lookup('example.com'))).to.equal('EPERM');
    expect(await rejectionCode(new Resolver().resolve4('example.com'))).to.equal('EPERM');
    expect(takeViolations()).to.deep.equal(['lookup example.com', 'resolve4 example.com']);
  });

  it('answers ENOTFOUND for .invalid names, and reports nothing', async () => {
    expect(await rejectionCode(lookup('nowhere.invalid'))).to.equal('ENOTFOUND');
    expect(takeViolations()).to.deep.equal([]);
  });
});
