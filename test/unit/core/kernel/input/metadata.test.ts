import { PaymountError } from '@paymount/core/kernel';
import { ChargeCreateInput } from '@paymount/core/payments';
import { expect } from 'chai';
import { mergeMetadata } from '../../../../../packages/core/src/kernel/input/metadata.ts';

function errorCode(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (PaymountError.is(error)) return `${error.code} ${error.param ?? ''}`.trim();
    throw error;
  }
  return 'none';
}

describe('metadata', () => {
  it('sets, deletes with an empty value, and clears with an empty text', () => {
    expect(mergeMetadata({ a: '1', b: '2' }, { b: '', c: '3' })).to.deep.equal({ a: '1', c: '3' });
    expect(mergeMetadata({ a: '1' }, '')).to.deep.equal({});
    expect(mergeMetadata({ a: '1' }, undefined)).to.deep.equal({ a: '1' });
  });

  it('holds 50 keys of 40 characters and values of 500, counted in code points', () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
    expect(errorCode(() => mergeMetadata({}, many))).to.equal('metadata_limit_exceeded metadata');
    expect(errorCode(() => mergeMetadata({}, { ['k'.repeat(41)]: 'v' }))).to.equal(
      'metadata_limit_exceeded metadata',
    );
    expect(errorCode(() => mergeMetadata({}, { k: 'v'.repeat(501) }))).to.equal(
      'metadata_limit_exceeded metadata[k]',
    );
    expect(errorCode(() => mergeMetadata({}, { k: '😀'.repeat(500) }))).to.equal('none');
  });

  it('keeps a charge without metadata free of it', () => {
    const read = ChargeCreateInput.parse({ amount: 1, currency: 'eur', source: 'tok_x' });
    expect(read.metadata).to.equal(undefined);
    expect(read.capture).to.equal(true);
  });
});
