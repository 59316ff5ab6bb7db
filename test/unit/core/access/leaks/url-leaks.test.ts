import { expect } from 'chai';
import { mintKey } from '../../../../../packages/core/src/access/credentials/key-format.ts';
import type { UrlExposure } from '../../../../../packages/core/src/access/leaks/exposure.ts';
import { UrlLeaks } from '../../../../../packages/core/src/access/leaks/url-leaks.ts';
import { eventually } from '../../../../support/eventually.ts';
import { keptLog } from '../../../../support/kept-log.ts';

describe('credentials in addresses', () => {
  /** Batches as they are reported; each waits until it is let go. */
  function start(report?: () => Promise<void>) {
    const batches: (readonly UrlExposure[])[] = [];
    const leaks = new UrlLeaks({
      logger: keptLog(),
      async report(exposures) {
        batches.push(exposures);
        await report?.();
      },
    });
    return { leaks, batches };
  }

  it('are reported after the turn in which they were noted, together', async () => {
    const { leaks, batches } = start();
    for (let count = 0; count < 3; count += 1) {
      leaks.note(`/v1/charges?key=${mintKey('secret', 'live')}`, 'GET /v1/charges');
    }
    expect(batches).to.deep.equal([]);
    await leaks.close();
    expect(batches.map((batch) => batch.length)).to.deep.equal([3]);
    expect(batches[0]?.[0]).to.include({ url: 'GET /v1/charges' });
  });

  it('are dropped beyond 100 that wait', async () => {
    const { leaks, batches } = start();
    for (let count = 0; count < 150; count += 1) {
      leaks.note(`/v1/charges?key=${mintKey('secret', 'live')}`, 'GET /v1/charges');
    }
    await leaks.close();
    expect(batches.map((batch) => batch.length)).to.deep.equal([100]);
  });

  it('are reported once, unless the report failed', async () => {
    let failures = 1;
    const { leaks, batches } = start(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no database');
    });
    const address = `/v1/charges?key=${mintKey('secret', 'live')}`;
    leaks.note(address, 'GET /v1/charges');
    await eventually(() => batches.length > 0);
    await new Promise(setImmediate);
    leaks.note(address, 'GET /v1/charges');
    leaks.note(address, 'GET /v1/charges');
    await leaks.close();
    expect(batches.map((batch) => batch.length)).to.deep.equal([1, 1]);
    leaks.note(address, 'GET /v1/refunds');
    expect(batches).to.have.length(2);
  });
});
