import { expect } from 'chai';
import { startError } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';

const REFUSAL = '`leaks.github.keysUrl` must begin with https://, or http:// and a loopback host.';

/** Whoever changes the list of keys on its way can report as GitHub, and so revoke any key. */
describe('the option leaks.github.keysUrl', () => {
  /** Nothing answers there, so what is not refused before fails to connect. */
  async function bootError(keysUrl: string): Promise<string> {
    const options = {
      database: 'postgres://nobody@127.0.0.1:1/none',
      sealingKeys: makeSealingKeys(),
      leaks: { github: { keysUrl } },
    };
    return String((await startError(options))?.message);
  }

  for (const [what, keysUrl] of [
    ['an address without TLS', 'http://keys.example/list'],
    ['a host that only looks like this machine', 'http://localhost.keys.example/list'],
    ['an address that only begins like this machine', 'http://127.0.0.1.keys.example/list'],
    ['this machine as a user name', 'http://127.0.0.1@keys.example/list'],
    ['another scheme', 'ftp://keys.example/list'],
    ['a file', 'file:///etc/keys.json'],
    ['a path alone', '/meta/public_keys/secret_scanning'],
    ['a host alone', 'keys.example'],
    ['nonsense', 'no address at all'],
  ] as const) {
    it(`is refused at boot when it is ${what}`, async () => {
      expect(await bootError(keysUrl)).to.equal(REFUSAL);
    });
  }

  it('is refused at boot when it is an empty text', async () => {
    expect(await bootError('')).to.equal(
      'createPaymount(): the option `leaks.github.keysUrl` must be an `http` or `https` address; ' +
        'it is an empty text.',
    );
  });

  it('repeats no password of the address that it refuses', async () => {
    expect(await bootError('http://user:hunter2@keys.example/list')).to.equal(REFUSAL);
  });

  for (const keysUrl of [
    'https://keys.example/list',
    'http://localhost:8080/list',
    'http://127.0.0.1:8080/list',
    'http://[::1]:8080/list',
  ]) {
    it(`may be ${keysUrl}`, async () => {
      expect(await bootError(keysUrl)).not.to.include('keysUrl');
    });
  }
});
