import { mock } from 'node:test';
import type { ExportedRow } from '@paymount/core/store';
import { expect } from 'chai';
import type { ExportBatch } from 'paymount';
import { exportRows } from '../../../packages/paymount/src/parts/export-rows.ts';

const ROWS: readonly ExportedRow[] = [{ id: 'dlv_1' }, { id: 'dlv_2' }];

describe('exporting rows', () => {
  it('gives the same rows the same id, and others another', async () => {
    const batches: ExportBatch[] = [];
    const keep = async (batch: ExportBatch): Promise<void> => void batches.push(batch);
    await exportRows(keep, 'deliveries')(ROWS);
    await exportRows(keep, 'deliveries')(ROWS);
    await exportRows(keep, 'replays')(ROWS);
    await exportRows(keep, 'deliveries')(ROWS.slice(1));
    const [first = '', ...others] = batches.map(({ id }) => id);
    expect(first).to.match(/^[0-9a-f]{32}$/);
    expect(others.map((id) => id === first)).to.deep.equal([true, false, false]);
  });

  it('fails when the function has not resolved after 60 seconds', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const exporting = exportRows(
        () => new Promise(() => undefined),
        'events',
      )(ROWS).catch(String);
      mock.timers.tick(59_999);
      expect(await Promise.race([exporting, Promise.resolve('It waits.')])).to.equal('It waits.');
      mock.timers.tick(1);
      expect(await exporting).to.equal(
        'Error: The function retention.export took more than 60 s; nothing is deleted.',
      );
    } finally {
      mock.timers.reset();
    }
  });
});
