import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';

const ROOT = new URL('../../../packages/paymount/', import.meta.url);

interface Rule {
  readonly regex: RegExp;
  readonly keywords: readonly string[];
}

/** The rules of the file for gitleaks, read as far as it uses TOML. */
function readRules(): Map<string, Rule> {
  const text = readFileSync(new URL('scanners/gitleaks.toml', ROOT), 'utf8');
  const rules = text.split('[[rules]]\n').slice(1);
  return new Map(
    rules.map((rule) => {
      const [, id = ''] = /^id = "([^"]+)"$/m.exec(rule) ?? [];
      const [, regex = '(?!)'] = /^regex = '''(.+)'''$/m.exec(rule) ?? [];
      const [, keywords = '[]'] = /^keywords = (\[.+\])$/m.exec(rule) ?? [];
      return [id, { regex: new RegExp(regex), keywords: JSON.parse(keywords) as string[] }];
    }),
  );
}

describe('the rules for gitleaks', () => {
  const rules = readRules();

  /** gitleaks looks for a keyword first, and then for the pattern. */
  const caughtBy = (text: string): string[] =>
    [...rules]
      .filter(([, { regex, keywords }]) => {
        return keywords.some((word) => text.includes(word)) && regex.test(text);
      })
      .map(([id]) => id);

  it('are two: for credentials, and for signing secrets', () => {
    expect([...rules.keys()]).to.deep.equal(['paymount-credential', 'paymount-signing-secret']);
  });

  it('catch every key that is a secret, with the shortest and the longest tag', () => {
    for (const type of ['secret', 'restricted'] as const) {
      for (const environment of ['live', 'test'] as const) {
        for (const tag of ['pm', 'Shop2026']) {
          const line = `API_KEY=${mintKey(type, environment, tag)}`;
          expect(caughtBy(line), `${type} ${environment} ${tag}`).to.deep.equal([
            'paymount-credential',
          ]);
        }
      }
    }
    for (const prefix of ['oat', 'ort', 'oac', 'ocs']) {
      const line = `token: ${prefix}_${randomBytes(20).toString('hex')}`;
      expect(caughtBy(line), prefix).to.deep.equal(['paymount-credential']);
    }
  });

  it('catch signing secrets', () => {
    const line = `secret = "whsec_${randomBytes(32).toString('base64')}"`;
    expect(caughtBy(line)).to.deep.equal(['paymount-signing-secret']);
  });

  it('let publishable keys and shortened forms pass', () => {
    expect(caughtBy(mintKey('publishable', 'live'))).to.deep.equal([]);
    expect(caughtBy(`sk_live_pm...${randomBytes(2).toString('hex')}`)).to.deep.equal([]);
  });

  it('are packed with the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
      files: string[];
    };
    expect(manifest.files).to.include('scanners');
  });
});
