import { expect } from 'chai';
import { missing } from '../../../../../packages/core/src/kernel/errors/missing.ts';

describe('the answer to an id that names nothing', () => {
  it('echoes what looks like an id, and nothing that may be a secret', () => {
    expect(missing('charge', 'ch_unknown').message).to.equal('No such charge: ch_unknown');
    const key = `sk_${'live'}_${'a'.repeat(40)}`;
    for (const secret of [
      key,
      `pm_${key}`,
      `a${key}`,
      `ab_${key}_x`,
      `py_x${key}`,
      'whsec_abc',
      'we_whsec_abc',
      'x'.repeat(99),
      '4'.repeat(16),
      `pm_${'4'.repeat(16)}`,
      `pm_x${'4'.repeat(13)}x`,
    ]) {
      expect(missing('charge', secret, 'charge').message).to.equal('No such charge.');
    }
  });
});
