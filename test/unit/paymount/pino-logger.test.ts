import { Writable } from 'node:stream';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { pinoLogger } from '../../../packages/paymount/src/adapters/pino-logger.ts';
import { redactingLogger } from '../../../packages/paymount/src/adapters/redacting-logger.ts';
import { ODD_VALUES } from '../../support/odd-values.ts';

function keptLines() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, destination };
}

describe('pinoLogger', () => {
  it('writes one line of JSON with the facts', () => {
    const { lines, destination } = keptLines();
    pinoLogger({ destination }).info(
      { status: 200, route: '/v1/charges' },
      'A request was answered.',
    );
    const line = JSON.parse(lines[0] ?? '');
    expect(line).to.deep.equal({
      level: 30,
      time: line.time,
      name: 'paymount',
      status: 200,
      route: '/v1/charges',
      msg: 'A request was answered.',
    });
  });

  it('writes nothing below its level', () => {
    const { lines, destination } = keptLines();
    pinoLogger({ destination }).debug({}, 'Nobody reads this.');
    pinoLogger({ destination, level: 'silent' }).error({}, 'Nor this.');
    expect(lines).to.deep.equal([]);
  });
});

describe('redactingLogger', () => {
  it('leaves out the card number that the error of an adapter repeats, and of its causes', () => {
    const { lines, destination } = keptLines();
    const cause = new Error('gateway: invalid field pan=4242 4242 4242 4242');
    const err = new Error('PAN 4242424242424242 is not taken', { cause });
    redactingLogger(pinoLogger({ destination })).error({ err }, 'It failed.');
    expect(lines.join()).to.include('PAN ... is not taken').and.include('pan=...');
    expect(lines.join()).not.to.match(/4242/);
  });

  for (const [what, value] of ODD_VALUES) {
    it(`writes the line of an error whose cause is ${what}`, () => {
      const { lines, destination } = keptLines();
      const err = new Error('no', { cause: value });
      redactingLogger(pinoLogger({ destination })).error({ err }, 'It failed.');
      expect(JSON.parse(lines[0] ?? '')).to.deep.include({ msg: 'It failed.' });
      expect(JSON.parse(lines[0] ?? '').err).to.include({ type: 'Error', message: 'no' });
    });
  }

  it('censors facts that may hold a secret, by name and by shape', () => {
    const { lines, destination } = keptLines();
    const key = mintKey('secret', 'live');
    const signing = `whsec_${'A'.repeat(43)}=`;
    redactingLogger(pinoLogger({ destination })).warn(
      {
        authorization: 'canary-1',
        body: 'canary-2',
        secret: 'canary-3',
        url: `/v1?key=${key}`,
        note: signing,
        within: `my_${key} and a${key}`,
        redis: 'redis://:canary-4@127.0.0.1:6379/0',
        database: 'Cannot reach postgres://shop:canary/5:@6@db.test/shop.',
        at: 'https://shop.test:443/v1/charges',
      },
      'A careless line.',
    );
    expect(JSON.parse(lines[0] ?? '')).to.include({
      authorization: '[secret]',
      body: '[secret]',
      secret: '[secret]',
      url: '/v1?key=[secret]',
      note: '[secret]',
      within: 'my_[secret] and a[secret]',
      redis: 'redis://:[secret]@127.0.0.1:6379/0',
      database: 'Cannot reach postgres://shop:[secret]@db.test/shop.',
      at: 'https://shop.test:443/v1/charges',
    });
  });

  it('shows the name, message, code and causes of an error, and no other fields', () => {
    const { lines, destination } = keptLines();
    const key = mintKey('restricted', 'test');
    const cause = Object.assign(new Error(`Key (value)=(${key}) already exists.`), {
      code: '23505',
      detail: 'canary-detail',
      parameters: ['canary-parameter'],
    });
    redactingLogger(pinoLogger({ destination })).error(
      { err: new TypeError('It failed.', { cause }) },
      'A person must look.',
    );
    const { err } = JSON.parse(lines[0] ?? '');
    expect(err).to.deep.equal({
      type: 'TypeError',
      message: 'It failed.',
      stack: err.stack,
      cause: {
        type: 'Error',
        message: 'Key (value)=([secret]) already exists.',
        code: '23505',
        stack: err.cause.stack,
      },
    });
    expect(lines[0]).not.to.contain('canary');
    expect(lines[0]).not.to.contain(key.slice(10));
  });
});
