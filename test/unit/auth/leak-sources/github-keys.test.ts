import { generateKeyPairSync } from 'node:crypto';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  type FetchKeyList,
  githubKeyList,
  type KeyList,
} from '../../../../packages/auth/src/leak-sources/github-key-list.ts';
import { GithubKeys } from '../../../../packages/auth/src/leak-sources/github-keys.ts';
import { fakeClock } from '../../../support/clock.ts';
import { keptLog } from '../../../support/kept-log.ts';
import { type Answer, startReceiver } from '../../../support/receiver.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

describe('the keys of GitHub', () => {
  function keysWith(fetchList: FetchKeyList): GithubKeys {
    return new GithubKeys({ fetchList, clock: fakeClock(), logger: keptLog() });
  }

  it('are asked for once by all requests that wait for them', async () => {
    let asked = 0;
    let answer: (list: KeyList) => void = () => undefined;
    const keys = keysWith(() => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const waiting = ['a', 'a', 'b'].map((id) => keys.find(id));
    answer({ keys: new Map([['a', publicKey]]) });
    expect(await Promise.all(waiting)).to.deep.equal([publicKey, publicKey, undefined]);
    expect(asked).to.equal(1);
  });

  it('are unavailable, which is not the same as refused, while GitHub does not answer', async () => {
    const keys = keysWith(() => Promise.reject(new Error('no route')));
    for (const id of ['a', 'a']) {
      const refused = await keys.find(id).catch((error: unknown) => error);
      expect(PaymountError.is(refused) && refused.code).to.equal('unavailable');
    }
  });
});

describe('the list of keys that GitHub publishes', () => {
  async function fetched(answer: Answer, etag?: string): Promise<KeyList | 'unchanged'> {
    const server = await startReceiver({ script: [answer] });
    try {
      return await githubKeyList(server.url)(etag);
    } finally {
      await server.close();
    }
  }

  const list = (...keys: unknown[]): Answer => ({
    status: 200,
    headers: { etag: '"1"' },
    body: JSON.stringify({ public_keys: keys }),
  });

  it('holds the keys on P-256, current or retired, and no others', async () => {
    const edwards = generateKeyPairSync('ed25519').publicKey;
    const other = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).publicKey;
    const pemOf = (key: typeof edwards): string =>
      key.export({ type: 'spki', format: 'pem' }).toString();
    const answer = list(
      { key_identifier: 'current', key: pem, is_current: true },
      { key_identifier: 'retired', key: pem, is_current: false },
      { key_identifier: 'edwards', key: pemOf(edwards), is_current: true },
      { key_identifier: 'curve', key: pemOf(other), is_current: true },
      { key_identifier: 'broken', key: 'no pem', is_current: true },
      { key: pem },
      null,
    );
    const found = await fetched(answer);
    expect(found !== 'unchanged' && [...found.keys.keys()]).to.deep.equal(['current', 'retired']);
    expect(found !== 'unchanged' && found.etag).to.equal('"1"');
  });

  it('is unchanged when the server says so', async () => {
    expect(await fetched({ status: 304, headers: { etag: '"1"' } }, '"1"')).to.equal('unchanged');
  });

  it('is not taken from an error, a redirect, or an endless answer', async () => {
    const endless: Answer = { status: 200, body: ' '.repeat(300_000) };
    const answers: Answer[] = [
      500,
      304,
      { redirect: 'http://127.0.0.1:9/' },
      'reset',
      endless,
      { status: 200, body: 'not json' },
      { status: 200, body: '{}' },
    ];
    for (const answer of answers) {
      const refused = await fetched(answer).catch((error: unknown) => error);
      expect(refused, JSON.stringify(answer).slice(0, 60)).to.be.instanceOf(Error);
    }
  });
});
