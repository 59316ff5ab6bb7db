import { expect } from 'chai';
import { missing } from '../../../../packages/core/src/shared/missing.ts';

describe('the answer to an id that names nothing', () => {
  it('echoes what looks like an id, and nothing that may be a secret', () => {
    expect(missing('charge', 'ch_unknown').message).to.equal('No such charge: ch_unknown');
    const secrets = [`sk_${'live'}_${'a'.repeat(40)}`, 'whsec_abc', '4'.repeat(16), 'x'.repeat(99)];
    for (const secret of secrets) {
      expect(missing('charge', secret, 'charge').message).to.equal('No such charge.');
    }
  });
});
