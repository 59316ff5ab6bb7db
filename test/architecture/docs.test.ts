import { readFile } from 'node:fs/promises';
import { ERROR_CODES } from '@paymount/core/kernel';
import { expect } from 'chai';
import { pages } from '../docs/pages.ts';

describe('generated pages', () => {
  for (const { file, make } of pages) {
    it(`${file} is fresh; \`npm run docs\` makes it so`, async () => {
      const written = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
      expect(written === make(), `${file} differs from what the code says`).to.equal(true);
    });
  }

  it('have a heading for every error code, where doc_url points', async () => {
    const page = await readFile(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
    const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
    expect(headings.sort()).to.deep.equal(Object.keys(ERROR_CODES).sort());
  });
});
