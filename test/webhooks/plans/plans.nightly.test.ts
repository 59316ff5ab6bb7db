import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type BacklogSetup, openBacklogSetup, STATISTICS } from '../../support/backlog-setup.ts';
import { explainEngine } from '../../support/engine-statements/all-statements.ts';
import { ROOT } from '../../support/planted-tree.ts';

const PENDING = 10_000;
const SOURCE = join(ROOT, 'packages/storage-postgres/src');
/** Where the statements of the engine stand. */
const PLACES = [
  'deliveries',
  'replays',
  'expunges',
  'endpoints/endpoint-streaks.ts',
  'events/purge-events.ts',
];
/** Those that are explained elsewhere, or read no table that grows, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  pm_deliveries_notify_v1: 'reads no table',
  pm_replays_remove_v1: 'as pm_replays_purge_v1, but by id; none is old here',
  pm_events_purge_lock_v1: 'finds rows by their primary key; none is old here',
  pm_locks_holders_v1: 'reads no table',
  pm_events_purged_v1: 'writes one row of a table with four',
  pm_counts_of_all_v1: 'for admins, see counts.nightly.test.ts',
  pm_counts_of_accounts_v2: 'for admins, see counts.nightly.test.ts',
  pm_counts_of_endpoint_v2: 'for merchants, see counts.nightly.test.ts',
  pm_counts_last_v1: 'for merchants, see counts.nightly.test.ts',
};

/** The names of the prepared statements in the source. */
function namesIn(path: string): readonly string[] {
  const files = path.endsWith('.ts')
    ? [path]
    : readdirSync(join(SOURCE, path)).map((name) => join(path, name));
  return files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/'(pm_\w+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
}

const explained = new Set<string>();

for (const endpoints of [20, 10_000]) {
  describe(`The statements of the engine at ${endpoints} endpoints`, function () {
    this.timeout(120_000);
    let setup: BacklogSetup;

    before(async () => {
      setup = await openBacklogSetup({ endpoints, events: PENDING });
    });
    after(() => setup.close());

    for (const statistics of STATISTICS) {
      it(`read no table as a whole with statistics that are ${statistics}`, async () => {
        const others = Math.min(200, endpoints - 1);
        await setup.load({ done: 10_000, atFirst: PENDING, others }, statistics);
        const { names, violations } = await explainEngine(setup);
        for (const name of names) explained.add(name);
        expect(violations).to.deep.equal([]);
      });
    }
  });
}

describe('The tests of plans', () => {
  it('explain every statement of the engine', () => {
    const written = PLACES.flatMap(namesIn);
    expect(written.length).to.be.above(50);
    const missing = written.filter((name) => !explained.has(name) && !(name in LEFT_OUT));
    expect(missing).to.deep.equal([]);
    expect(Object.keys(LEFT_OUT).filter((name) => !written.includes(name))).to.deep.equal([]);
  });
});
