import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const FACE = import.meta.resolve('paymount/receiver');

/** Every module that importing `from` loads at run time, by the name it is imported under. */
function loadedBy(from: string, seen = new Map<string, string>()): Map<string, string> {
  const text = readFileSync(fileURLToPath(from), 'utf8');
  for (const [, name] of text.matchAll(/^(?:import|export)(?! type)[^;]*? from '([^']+)';/gm)) {
    if (name === undefined) continue;
    const url = name.startsWith('.') ? new URL(name, from).href : import.meta.resolve(name);
    if (seen.has(url)) continue;
    seen.set(url, name);
    if (url.startsWith('file:')) loadedBy(url, seen);
  }
  return seen;
}

describe('paymount/receiver', () => {
  it("loads node's own modules and paymount-receiver, nothing else", () => {
    const names = [...loadedBy(FACE).values()].filter((name) => !name.startsWith('.'));
    const foreign = names.filter((name) => !name.startsWith('node:'));
    expect(foreign).to.deep.equal(['paymount-receiver']);
    expect(names).to.include('node:crypto');
  });

  it('is paymount-receiver, for who installs the server', async () => {
    const alone = await import('paymount-receiver');
    expect({ ...(await import('paymount/receiver')) }).to.deep.equal({ ...alone });
    expect(Object.keys(alone)).to.include.members(['constructEvent', 'receiver', 'verify']);
  });
});
