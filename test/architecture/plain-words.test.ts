import { ERROR_CODES } from '@paymount/core/kernel';
import { expect } from 'chai';
import { stumblesIn } from '../docs/plain-words.ts';
import { proseOf, readPages } from '../docs/read-pages.ts';
import { paymount } from '../support/run-command.ts';

/** The pages that a newcomer reads first. */
const FIRST_PAGES = /^(README\.md|docs\/README\.md|docs\/(tutorials|how-to)\/)/;
const COMMANDS = [
  ...['migrate', 'verify', 'scan', 'listen', 'trigger', 'resend'],
  ...['accounts', 'accounts create', 'accounts list', 'accounts update', 'accounts suspend'],
  ...['keys', 'keys create', 'keys list', 'keys update', 'keys rotate', 'keys revoke'],
  ...['operations', 'operations list', 'operations settle', 'operations dismiss'],
  ...['hook', 'audit', 'audit verify', 'audit export', 'secrets', 'secrets rewrap'],
];

describe('what a newcomer reads', () => {
  it('has no construction of the word list in the guides', () => {
    const pages = readPages().filter(({ file }) => FIRST_PAGES.test(file));
    expect(pages.length).to.be.greaterThan(20);
    const found = pages.flatMap((page) =>
      stumblesIn(proseOf(page)).map((stumble) => `${page.file}: ${stumble}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('has none in the texts of errors', () => {
    const found = Object.entries(ERROR_CODES).flatMap(([code, { meaning, cure }]) =>
      stumblesIn(`${meaning} ${cure}`).map((stumble) => `${code}: ${stumble}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('has none in the help of the command', async () => {
    const found: string[] = [];
    for (const command of ['', ...COMMANDS]) {
      const { out, exitCode } = await paymount({}, ...command.split(' ').filter(Boolean), '--help');
      expect([command, exitCode]).to.deep.equal([command, 0]);
      found.push(...stumblesIn(out.join('\n')).map((stumble) => `${command}: ${stumble}`));
    }
    expect(found).to.deep.equal([]);
  });

  it('would show a construction of the list, also over the end of a line', () => {
    expect(
      stumblesIn('The key goes to whoever\nfound it, and the address is\nnone.'),
    ).to.deep.equal([
      '"whoever": write "anyone who", or name the person',
      '"is none": write "is not a", or "does not exist"',
    ]);
    expect(stumblesIn('Anyone who found the key can use it.')).to.deep.equal([]);
  });
});
