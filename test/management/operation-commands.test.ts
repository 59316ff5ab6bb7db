import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { query } from '../support/database.ts';
import { inFolder } from '../support/in-folder.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type OperatorSetup, startOperatorSetup } from '../support/operator-setup.ts';
import { contradictedOperation, lateOperation } from '../support/reviewed-operations.ts';
import { type Outcome, paymount, toJson } from '../support/run-command.ts';

const REASON = ['--reason', 'Seen in the settlement file.'];

describe('paymount operations', () => {
  const sealingKeys = makeSealingKeys();
  let setup: OperatorSetup;
  let folder: string;
  let config: string;

  before(async () => {
    setup = await startOperatorSetup({
      sealingKeys,
      processors: {},
      hook: async () => undefined,
    });
    folder = await mkdtemp(join(tmpdir(), 'paymount-operations-'));
    config = join(folder, 'options.mjs');
    // The hook of this process, which is not the one that took the payment.
    await writeFile(
      config,
      `export const options = {
        database: ${JSON.stringify(setup.databaseUrl)},
        sealingKeys: ${JSON.stringify(sealingKeys)},
        fees: (charge, amount) => ({ amount: 25, details: [{ amount: 25, type: 'application_fee', description: 'ours' }] }),
        hook: async (trx, { charge }) => {
          await trx.raw('CREATE TABLE IF NOT EXISTS public.told (line text)');
          if (charge.metadata.refused) throw new Error('the shop is not ready');
          await trx.raw('INSERT INTO public.told VALUES (?)', [charge.id + ' ' + charge.status]);
        },
      };`,
    );
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await setup.close();
  });

  const run = (...args: string[]): Promise<Outcome> =>
    paymount({ DATABASE_URL: setup.databaseUrl }, ...args);
  const owner = () => ({ account: setup.account, environment: 'test' }) as const;

  it('lists what a person must look at, and shows it with its answers', async () => {
    expect((await run('operations', 'list')).out).to.deep.equal([
      'No operation waits for a person.',
    ]);
    expect((await run('operations', 'list', '--state', 'done')).out).to.deep.equal([
      'There is no such operation.',
    ]);
    const id = await contradictedOperation(setup, owner());
    const listed = await run(
      'operations',
      'list',
      '--account',
      setup.account,
      '--kind',
      'authorize',
    );
    expect([listed.exitCode, listed.out.length]).to.deep.equal([0, 2]);
    expect(listed.out[1]).to.match(
      new RegExp(
        `^${id}  quarantined  contradiction  20\\S+Z  authorize  ch_\\w+  5.00 EUR +sandbox$`,
      ),
    );
    const live = await run('operations', 'list', '--environment', 'live');
    expect(live.out).to.deep.equal(['No such operation waits for a person.']);
    const json = toJson(await run('--json', 'operations', 'list', '--environment', 'test'));
    expect(json).to.have.keys('operations', 'has_more');
    expect((json['operations'] as { id: string }[]).map((each) => each.id)).to.deep.equal([id]);
    const none = toJson(await run('--json', 'operations', 'list', '--environment', 'live'));
    expect(none['operations']).to.deep.equal([]);
    const shown = await run('operations', 'show', id);
    expect(shown.said).to.include('quarantined').and.include('outcome=approved');
    const whole = toJson(await run('--json', 'operations', 'show', id));
    expect(whole['answers']).to.have.length(1);
  });

  it('settles with the hook and the fees of the configuration, and leaves the name of the operator', async () => {
    const id = await contradictedOperation(setup, owner());
    const refused = await run('operations', 'settle', id, '--as', 'approved', ...REASON);
    expect([refused.exitCode, refused.out]).to.deep.equal([2, []]);
    expect(refused.said).to.include('--config');
    const args = ['--config', config, 'operations', 'settle', id, '--as', 'approved', ...REASON];
    const settled = await run(...args);
    expect([settled.exitCode, settled.err], settled.said).to.deep.equal([0, []]);
    expect(settled.out).to.have.length(1);
    expect(settled.out[0]).to.match(
      new RegExp(
        `^${id} \\(authorization of ch_\\w+\\) is done: approved 5.00 EUR, reference \\w+\\.$`,
      ),
    );
    const [, charge = ''] = /(ch_\w+)/.exec(settled.said) ?? [];
    const told = await query<{ line: string }>(setup.databaseUrl, 'SELECT line FROM told');
    expect(told.map(({ line }) => line)).to.deep.equal([`${charge} succeeded`]);
    const lines = await setup.get(`/v1/balance_transactions?source=${charge}`).expect(200);
    expect(lines.body.data[0]).to.include({ amount: 500, fee: 25, net: 475 });
    const { json } = await setup.admin(`/audit?target=${id}`);
    const [entry] = json['data'] as Record<string, unknown>[];
    expect(entry).to.deep.include({
      action: 'operation.settle',
      actor: { type: 'command', id: userInfo().username },
      via: 'cli',
    });
    const again = await run(...args);
    expect([again.exitCode, again.err]).to.deep.equal([
      1,
      [`paymount: Operation ${id} is done; it is already settled.`],
    ]);
  });

  it('says that it was declined, or not executed', async () => {
    for (const [as, said] of [
      ['declined', 'is done: declined (card_declined).'],
      ['not_executed', 'is failed: not executed.'],
    ] as const) {
      const id = await contradictedOperation(setup, owner());
      const args = ['--config', config, 'operations', 'settle', id, '--as', as, ...REASON];
      const { out } = await run(...args);
      expect([out.length, out[0]?.endsWith(said)], out[0]).to.deep.equal([1, true]);
    }
  });

  it('makes no sealing key of its own, and says which are needed', async () => {
    const id = await contradictedOperation(setup, owner());
    const keyless = join(folder, 'keyless.mjs');
    const database = JSON.stringify(setup.databaseUrl);
    await writeFile(
      keyless,
      `export const options = { database: ${database}, hook: async () => {} };`,
    );
    await inFolder(folder, async () => {
      const settle = ['operations', 'settle', id, '--as', 'approved', ...REASON];
      const { exitCode, err } = await run('--config', keyless, ...settle);
      expect([exitCode, err]).to.deep.equal([
        2,
        [
          'paymount: The options of --config have no sealingKeys, and this folder has no .paymount/keys. ' +
            'Pass the keys that your app uses: what is stored was sealed by "test".',
        ],
      ]);
      expect(await readdir(folder)).to.have.members(['keyless.mjs', 'options.mjs']);
      await mkdir('.paymount');
      const file = join('.paymount', 'keys');
      const [key] = sealingKeys;
      await writeFile(file, `${key?.kid}:${key?.key}\n`, { mode: 0o600 });
      expect((await run('--config', keyless, ...settle)).exitCode).to.equal(0);
    });
  });

  it('says which flag is wrong, and does nothing', async () => {
    const id = await contradictedOperation(setup, owner());
    const settle = ['--config', config, 'operations', 'settle', id, '--as', 'approved'];
    for (const [args, said] of [
      [['operations', 'settle', 'op_1', '--as', 'approved', ...REASON], 'by its id (op_...)'],
      [['operations', 'settle', id, '--as', 'paid', ...REASON], "option '--as <outcome>'"],
      [settle, "required option '--reason <text>'"],
      [[...settle, '--reason', ''], '--reason must not be empty'],
      [[...settle, ...REASON, '--amount', '4.20'], '--amount is a whole number of minor units'],
      [[...settle, ...REASON, '--amount', '501'], '--amount is at most 500, the requested amount'],
    ] as const) {
      const { exitCode, err, said: all } = await run(...args);
      expect([exitCode, err.join(' ').includes(said)], all).to.deep.equal([2, true]);
    }
    const { json } = await setup.admin(`/operations/${id}`);
    expect(json).to.include({ state: 'quarantined' });
  });

  it('says why the hook refuses, and dismisses an answer that came late', async () => {
    const late = await lateOperation(setup, owner());
    const dismiss = ['--config', config, 'operations', 'dismiss', late, ...REASON];
    const dismissed = await run(...dismiss);
    expect([dismissed.exitCode, dismissed.out.length], dismissed.said).to.deep.equal([0, 1]);
    expect(toJson(await run('--json', 'operations', 'show', late))).to.deep.include({
      state: 'done',
      review: null,
    });
    expect((await run(...dismiss)).exitCode).to.equal(1);
    const id = await contradictedOperation(setup, owner(), { refused: 'yes' });
    const args = ['--config', config, 'operations', 'settle', id, '--as', 'approved', ...REASON];
    const { exitCode, err } = await run(...args);
    expect(exitCode).to.equal(1);
    expect(err.join('\n')).to.include('the shop is not ready').and.include('nothing was recorded');
  });
});
