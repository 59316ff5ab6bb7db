import { isLoopback } from '@paymount/core/access';
import { expect } from 'chai';
import { isLoopback as isLoopbackOfCli } from '../../../../../packages/cli/src/loopback.ts';

/** The CLI does not depend on the core, so it has a copy, which must agree. */
const COPIES = { 'isLoopback of the core': isLoopback, 'isLoopback of the CLI': isLoopbackOfCli };

for (const [name, isLoopback] of Object.entries(COPIES))
  describe(name, () => {
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.8.9.10',
      '::1',
      '[::1]',
      '::ffff:127.0.0.1',
    ]) {
      it(`is true for ${host}`, () => {
        expect(isLoopback(host)).to.equal(true);
      });
    }

    for (const host of [
      '128.0.0.1',
      '0.0.0.0',
      '::',
      '::2',
      '::ffff:10.0.0.1',
      'localhost.evil.test',
      '127.evil.test',
      '',
    ]) {
      it(`is false for ${JSON.stringify(host)}`, () => {
        expect(isLoopback(host)).to.equal(false);
      });
    }
  });
