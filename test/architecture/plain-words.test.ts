import { ERROR_CODES } from '@paymount/core/kernel';
import { expect } from 'chai';
import { stumblesIn } from '../docs/plain-words.ts';
import { readSourceProse, type SourceProse } from '../docs/source-prose.ts';
import { readPages, toProse } from '../support/read-pages.ts';
import { paymount } from '../support/run-command.ts';

/** All pages of the top, of the packages and of `docs/`. */
const PAGES = /^([A-Z]+\.md|packages\/[\w-]+\/README\.md|docs\/)/;
const COMMANDS = [
  'migrate',
  'verify',
  'scan',
  'listen',
  'trigger',
  'resend',
  'accounts',
  'accounts create',
  'accounts list',
  'accounts update',
  'accounts suspend',
  'keys',
  'keys create',
  'keys list',
  'keys update',
  'keys rotate',
  'keys revoke',
  'operations',
  'operations list',
  'operations settle',
  'operations dismiss',
  'settlement-differences',
  'settlement-differences list',
  'settlement-differences settle',
  'adjustments',
  'adjustments write-off',
  'bank-accounts',
  'bank-accounts list',
  'notices',
  'notices list',
  'notices ingest',
  'hook',
  'audit',
  'audit verify',
  'audit export',
  'secrets',
  'secrets rewrap',
];

describe('what a reader sees first', () => {
  it('has no construction of the word list in the pages', () => {
    const pages = readPages().filter(({ file }) => PAGES.test(file));
    expect(pages.length).to.be.greaterThan(40);
    const found = pages.flatMap((page) =>
      stumblesIn(toProse(page)).map((stumble) => `${page.file}: ${stumble}`),
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

  it('has none in docstrings', () => {
    const sources = readSourceProse();
    expect(sources.flatMap(({ docstrings }) => docstrings).length).to.be.greaterThan(2_000);
    expect(stumblesBy(sources, ({ docstrings }) => docstrings)).to.deep.equal([]);
  });

  it('has none in messages and log lines', () => {
    const sources = readSourceProse();
    expect(sources.flatMap(({ messages }) => messages).length).to.be.greaterThan(500);
    expect(stumblesBy(sources, ({ messages }) => messages)).to.deep.equal([]);
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

function stumblesBy(
  sources: readonly SourceProse[],
  textsOf: (source: SourceProse) => readonly string[],
): readonly string[] {
  return sources.flatMap((source) =>
    textsOf(source).flatMap((text) =>
      stumblesIn(text).map(
        (stumble) => `${source.file}: ${stumble} in ${text.trim().slice(0, 100)}`,
      ),
    ),
  );
}
