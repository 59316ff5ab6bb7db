import { expect } from 'chai';
import { type CpuTable, compareCpu, toTable } from '../../support/cpu-budget.ts';

const TABLE: CpuTable = { unit: 0.1, folders: { http: 60, servers: 40 }, longest: [] };

function runOf(http: number, servers: number, unit = 0.1): CpuTable {
  return { unit, folders: { http, servers }, longest: [] };
}

describe('what the daily run may cost', () => {
  it('is a fifth more than the table has in all', () => {
    expect(compareCpu(runOf(80, 40), TABLE)).to.deep.equal({
      isWithin: true,
      text: 'The run took 120 CPU seconds at the speed of the table, which has 100.',
    });
    const { isWithin, text } = compareCpu(runOf(81, 40), TABLE);
    expect(isWithin).to.equal(false);
    expect(text).to.include('The run took 121 CPU seconds');
    expect(text).to.include('Grown: http +21.0.');
  });

  it('lets one folder grow by what another one saves', () => {
    expect(compareCpu(runOf(100, 10), TABLE).isWithin).to.equal(true);
  });

  it('counts a folder that the table does not have', () => {
    const run = { ...TABLE, folders: { ...TABLE.folders, billing: 21 } };
    expect(compareCpu(run, TABLE).text).to.include('Grown: billing +21.0.');
  });

  it('is compared as if both machines were equally fast', () => {
    expect(compareCpu(runOf(160, 80, 0.2), TABLE).isWithin).to.equal(true);
    expect(compareCpu(runOf(61, 0, 0.05), TABLE).isWithin).to.equal(false);
  });

  it('leaves out the servers that a run did not start', () => {
    const withoutServers = (http: number): CpuTable => ({ ...TABLE, folders: { http } });
    expect(compareCpu(withoutServers(72), TABLE).isWithin).to.equal(true);
    expect(compareCpu(withoutServers(73), TABLE).isWithin).to.equal(false);
    expect(toTable([], undefined, 0.1).folders).to.deep.equal({});
  });

  it('is written with the folders by name, and the files that took long, longest first', () => {
    const times = [
      { file: 'test/unit/a.test.ts', wallMs: 3_900, cpuMs: 1_000, childrenMs: 0 },
      { file: 'test/http/b.test.ts', wallMs: 5_000, cpuMs: 2_000, childrenMs: 500 },
      { file: 'test/http/c.test.ts', wallMs: 9_000, cpuMs: 1_000, childrenMs: 0 },
    ];
    expect(toTable(times, 7, 0.12345)).to.deep.equal({
      unit: 0.1235,
      folders: { http: 3.5, servers: 7, unit: 1 },
      longest: ['test/http/c.test.ts', 'test/http/b.test.ts'],
    });
  });
});
