import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  assertTableCodes,
  distinctCodes,
  partCode,
  rowCode,
} from '../../../../packages/storage-postgres/src/changes/part-codes.ts';

const SOURCES = new URL('../../../../packages/storage-postgres/src/', import.meta.url);

describe('the codes of parts', () => {
  it('are refused when two kinds have the same, or one begins another', () => {
    expect(() => distinctCodes({ charges: 'c', customers: 'c' })).to.throw(
      TypeError,
      'The code of charges, "c", begins that of customers.',
    );
    expect(() => distinctCodes({ coupons: 'cu', charges: 'c' })).to.throw(
      TypeError,
      'The code of charges, "c", begins that of coupons.',
    );
    expect(() => distinctCodes({ charges: 'C' })).to.throw(TypeError, 'not of small letters');
  });

  it('are refused when a table has that of a part, or of another table', () => {
    const charges = { name: 'charges', code: 'c' };
    expect(() => assertTableCodes([charges, { name: 'coupons', code: 'c' }])).to.throw(
      TypeError,
      'The code of charges, "c", begins that of coupons.',
    );
    expect(() => assertTableCodes([charges, { name: 'keys', code: 'k' }])).to.throw(
      TypeError,
      'The code of own_claim, "k", begins that of keys.',
    );
    expect(() => assertTableCodes([charges])).not.to.throw();
  });

  it('end with what tells the texts of a part apart, in capitals', () => {
    expect(rowCode({ name: 'charges', code: 'c' }, 'u')).to.equal('cU');
    expect(partCode('postings', '2', 'x', 'n', 'j')).to.equal('l2XNJ');
    expect(partCode('answer')).to.equal('a');
  });

  it('of a change that has no hook and of one that claims a key differ', () => {
    expect(partCode('no_hook')).to.not.equal(partCode('own_claim'));
  });
});

describe('the names of prepared statements', () => {
  it('are each given to one text', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const names = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const source = readFileSync(new URL(file, SOURCES), 'utf8');
        return [...source.matchAll(/statement\(\s*['`](pm_[^'`]+)['`]/g)].map(([, name]) => name);
      });
    expect(names.length).to.be.greaterThan(50);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
