import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type DisputeSetup, startDisputeSetup } from '../support/dispute-setup.ts';
import { type Outcome, paymount, toJson } from '../support/run-command.ts';

const REASON = ['--reason', 'Letter of the acquirer of 2 December.'];

type Json = Readonly<Record<string, unknown>>;

describe('paymount disputes rule', () => {
  let setup: DisputeSetup;
  let folder: string;
  before(async () => {
    setup = await startDisputeSetup();
    folder = await mkdtemp(join(tmpdir(), 'paymount-disputes-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await setup.close();
  });

  const run = async (...args: string[]): Promise<Outcome> => {
    const config = join(folder, 'options.mjs');
    const options = { database: setup.databaseUrl, sealingKeys: setup.sealingKeys };
    await writeFile(config, `export const options = ${JSON.stringify(options)};`);
    return paymount({}, '--config', config, ...args);
  };

  it('reverses a ruling, with the name of the operator in the audit log', async () => {
    const { dispute, reference } = await setup.chargeback();
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    const ruled = await run('disputes', 'rule', dispute, '--as', 'lost', ...REASON);
    expect([ruled.exitCode, ruled.out], ruled.said).to.deep.equal([
      0,
      [`${dispute} is lost, in round 2.`],
    ]);
    const again = toJson(
      await run('--json', 'disputes', 'rule', dispute, '--as', 'won', ...REASON),
    );
    expect(again).to.include({ id: dispute, object: 'dispute', status: 'won', round: 3 });
    const { json } = await setup.admin(`/audit?target=${dispute}`);
    expect((json['data'] as Json[])[1]).to.deep.include({
      action: 'dispute.rule',
      actor: { type: 'command', id: userInfo().username },
      via: 'cli',
      account: setup.account,
    });
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('is refused without the id of a dispute, for one that is not there, and without options', async () => {
    const wrong = await run('disputes', 'rule', 'ch_1', '--as', 'won', ...REASON);
    expect(wrong.err.join()).to.include('Name the dispute by its id (dp_...)');
    const unknown = newId('dp');
    const missing = await run('disputes', 'rule', unknown, '--as', 'won', ...REASON);
    expect([missing.exitCode, missing.err.join()]).to.deep.equal([
      1,
      `paymount: No such dispute: ${unknown}`,
    ]);
    const { dispute } = await setup.chargeback();
    const args = ['disputes', 'rule', dispute, '--as', 'won', ...REASON];
    const bare = await paymount({ DATABASE_URL: setup.databaseUrl }, ...args);
    expect(bare.err.join()).to.include('--config');
  });
});
