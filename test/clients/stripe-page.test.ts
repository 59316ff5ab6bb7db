import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ROOT, readPage } from '../support/read-pages.ts';

const FOLDER = `${ROOT}test/clients/`;
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
const page = readPage('docs/how-to/stripe-sdk.md');

/** What the files with such a name hold, one after the other. */
function readText(name: RegExp): string {
  const found = FILES.filter((file) => name.test(file));
  return found.map((file) => readFileSync(FOLDER + file, 'utf8')).join('\n');
}

/** Indentation is that of the place. */
function dedented(text: string): string {
  return text.replaceAll(/^[ \t]+/gm, '').trim();
}

const PROGRAMS: Readonly<Record<string, string>> = {
  python: readText(/\.py$/),
  go: readText(/\.go$/),
  java: readText(/\.java$/),
};

describe('the page about Stripe SDKs', () => {
  it('shows code that the programs of test/clients run, in each language', () => {
    const shown = page.blocks.filter(({ language }) => language in PROGRAMS);
    expect(new Set(shown.map(({ language }) => language))).to.have.keys('python', 'go', 'java');
    const strange = shown.filter(({ language, code }) => {
      return !dedented(PROGRAMS[language] ?? '').includes(dedented(code));
    });
    expect(strange.map(({ code }) => code)).to.deep.equal([]);
  });

  it('names the versions that npm run test:clients installs, and no others', () => {
    const pinned = [
      ...readText(/package\.json$/).matchAll(/"stripe": "([\d.]+)"/g),
      ...readText(/requirements\.txt$/).matchAll(/^stripe==([\d.]+)$/gm),
      ...readText(/go\.mod$/).matchAll(/stripe-go\/v\d+ v([\d.]+)/g),
      ...readText(/pom\.xml$/).matchAll(/stripe-java<\/artifactId>\s*<version>([\d.]+)</g),
    ].map(([, version]) => version);
    const table = page.text.split('\n').filter((line) => line.startsWith('|'));
    expect(
      [...table.join('\n').matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version),
    ).to.have.members(pinned);
  });
});
