import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type NoticeSetup, NotifyingBank, startNoticeSetup } from '../support/notifying-bank.ts';
import { type Outcome, paymount, toJson } from '../support/run-command.ts';

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const NOTE = ['--note', 'The bank keeps 1 euro; confirmed by phone.'];
/** The amounts of a line of 1 euro less than its charge. */
const SHOWN = ['--expected', '10000', '--found', '9900'];

type Json = Readonly<Record<string, unknown>>;

describe('paymount settlement-differences', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());

  const run = (...args: string[]): Promise<Outcome> =>
    paymount({ DATABASE_URL: setup.databaseUrl }, 'settlement-differences', ...args);
  const charge = async (): Promise<string> => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    return body.processor.reference;
  };
  const deliverLine = (lineId: string, amount: number, processorReference: string) => {
    const settledOn = setup.clock.now().toISOString();
    const data = { lineId, amount, currency: 'eur', settledOn, kind: 'payment' };
    return setup.deliver({ kind: 'settlement_line', processorReference, data });
  };
  /** A line of 1 euro less than its charge. @returns the id of the difference */
  const differing = async (lineId: string): Promise<string> => {
    await deliverLine(lineId, 9_900, await charge());
    const { json } = await setup.admin('/settlement_differences');
    return String((json['data'] as Json[])[0]?.['id']);
  };

  it('list what is open, and show one', async () => {
    expect((await run('list')).out).to.deep.equal(['No settlement difference is open.']);
    const id = await differing('line_1');
    await deliverLine('line_2', 500, 'nobody_yet');
    const listed = await run('list', '--account', setup.account);
    expect(listed.out.length, listed.said).to.equal(2);
    expect(listed.out[0]).to.match(
      /^ID +STATE +KIND +CREATED +SUBJECT +EXPECTED +FOUND +PROCESSOR$/,
    );
    expect(listed.out[1]).to.match(
      new RegExp(`^${id}  open +amount_differs +20\\S+Z +\\w+ +100.00 EUR +99.00 EUR +watched$`),
    );
    const json = toJson(await paymount({ DATABASE_URL: setup.databaseUrl }, '--json', ...LIST));
    expect(json).to.have.keys('settlement_differences', 'has_more');
    const kinds = (json['settlement_differences'] as Json[]).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['no_operation', 'amount_differs']);
    expect((await run('list', '--kind', 'no_operation')).out[1]).to.match(/ - +5.00 EUR +watched$/);
    for (const narrower of [
      ['--environment', 'live'],
      ['--processor', 'other'],
      ['--kind', 'not_settled'],
    ]) {
      const { out } = await run('list', ...narrower);
      expect(out, narrower.join(' ')).to.deep.equal(['No such settlement difference is open.']);
    }
    const after = await run('list', '--state', 'any', '--after', id);
    expect(after.out).to.deep.equal(['There is no such settlement difference.']);
    const shown = await run('show', id);
    expect(shown.out.join('\n'))
      .to.match(/line_id +line_1\n/)
      .and.to.match(/note +-$/m);
  });

  it('settle one with a note, once, and keep the name of the operator', async () => {
    const id = await differing('line_3');
    const settled = await run('settle', id, ...SHOWN, ...NOTE);
    expect([settled.exitCode, settled.out], settled.said).to.deep.equal([
      0,
      [`${id} (amount_differs) is settled: The bank keeps 1 euro; confirmed by phone.`],
    ]);
    const listed = await run('list', '--state', 'settled');
    expect(listed.out[1]).to.include(`${id}  settled`);
    const { json } = await setup.admin(`/audit?target=${id}`);
    expect((json['data'] as Json[])[0]).to.deep.include({
      action: 'settlement_difference.settle',
      actor: { type: 'command', id: userInfo().username },
      via: 'cli',
      account: setup.account,
    });
    const again = await run('settle', id, ...SHOWN, ...NOTE);
    expect([again.exitCode, again.err]).to.deep.equal([
      1,
      [
        `paymount: Settlement difference ${id} is settled; only an open one can be settled. ` +
          'It opens again by itself when other amounts differ.',
      ],
    ]);
  });

  it('settle one of which nothing was expected, as it is shown', async () => {
    await deliverLine('line_5', -500, 'nobody_at_all');
    const listed = await run('list', '--kind', 'no_operation');
    expect(listed.out[1]).to.match(/ - +-5.00 EUR +watched$/);
    const id = String(listed.out[1]?.split(' ')[0]);
    const settle = ['settle', id, '--expected', '-', ...NOTE];
    const changed = await run(...settle, '--found', '500');
    expect([changed.exitCode, changed.err]).to.deep.equal([
      1,
      [
        `paymount: Settlement difference ${id} has other amounts now: nothing expected, ` +
          '-5.00 EUR found. Look at it again before you settle it.',
      ],
    ]);
    const settled = await run(...settle, '--found', '-500');
    expect(settled.exitCode, settled.said).to.equal(0);
    const { json } = await setup.admin(`/audit?target=${id}`);
    const [entry, ...others] = json['data'] as Json[];
    expect(others).to.deep.equal([]);
    expect(entry?.['after']).to.include({ expected: null, found: -500, currency: 'eur' });
  });

  it('say what is wrong, and change nothing', async () => {
    const id = await differing('line_4');
    const absent = `sd_${'0'.repeat(26)}`;
    for (const [args, exitCode, said] of [
      [['show', 'line_4'], 2, 'by its id (sd_...)'],
      [['show', absent], 1, `No such settlement difference: ${absent}`],
      [['settle', absent, ...SHOWN, ...NOTE], 1, `No such settlement difference: ${absent}`],
      [['settle', id, ...SHOWN], 2, "required option '--note <text>'"],
      [['settle', id, ...NOTE, '--found', '9900'], 2, "required option '--expected <amount>'"],
      [['settle', id, ...NOTE, '--expected', '10000'], 2, "required option '--found <amount>'"],
      [
        ['settle', id, ...NOTE, '--expected', '100.00', '--found', '9900'],
        2,
        '--expected is a whole number of minor units, as the difference shows it; - for nothing.',
      ],
      [
        ['settle', id, ...NOTE, '--expected', '10000', '--found', '-'],
        2,
        '--found is a whole number of minor units, as the difference shows it.',
      ],
      [
        ['settle', id, ...NOTE, '--expected', '10000', '--found', '0'],
        1,
        'has other amounts now: 100.00 EUR expected, 99.00 EUR found.',
      ],
      [['settle', id, ...SHOWN, '--note', ''], 2, '--note must not be empty'],
      [
        ['settle', id, ...SHOWN, '--note', 'Of card 4242 4242 4242 4242.'],
        1,
        'Card numbers are not accepted',
      ],
      [['list', '--account', `acct_${'0'.repeat(26)}`], 1, 'No such account'],
      [['list', '--state', 'closed'], 2, "option '--state <state>'"],
      [['list', '--after', absent], 1, '--after is not the id'],
    ] as const) {
      const outcome = await run(...args);
      expect([outcome.exitCode, outcome.out], outcome.said).to.deep.equal([exitCode, []]);
      expect(outcome.err.join(' ')).to.include(said);
    }
    const { json } = await setup.admin(`/settlement_differences/${id}`);
    expect(json).to.include({ state: 'open', note: null });
  });
});

const LIST = ['settlement-differences', 'list'];

describe('paymount notices ingest', () => {
  let setup: NoticeSetup;
  let folder: string;

  before(async () => {
    setup = await startNoticeSetup();
    folder = await mkdtemp(join(tmpdir(), 'paymount-settlement-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await setup.close();
  });

  /** The adapter of the host reads one notice on each line. */
  const writeOptions = async (): Promise<string> => {
    const config = join(folder, 'options.mjs');
    const support = (file: string) =>
      JSON.stringify(pathToFileURL(join(process.cwd(), 'test/support', file)).href);
    const options = { database: setup.databaseUrl, sealingKeys: setup.sealingKeys };
    await writeFile(
      config,
      `import { fakeClock } from ${support('clock.ts')};
      import { ${NotifyingBank.name} } from ${support('notifying-bank.ts')};
      const processors = { test: new ${NotifyingBank.name}(fakeClock()) };
      export const options = { ...${JSON.stringify(options)}, processors };`,
    );
    return config;
  };

  it('stores and applies the lines of a file, once', async () => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    const occurredAt = setup.clock.now().toISOString();
    const line = (lineId: string, amount: number) => ({
      noticeId: lineId,
      occurredAt,
      kind: 'settlement_line',
      processorReference: body.processor.reference,
      data: { lineId, amount, currency: 'eur', settledOn: occurredAt, kind: 'payment' },
    });
    const file = join(folder, 'report.jsonl');
    await writeFile(file, `${JSON.stringify(line('report_1', 10_000))}\n`);
    const args = ['--config', await writeOptions(), 'notices', 'ingest', file];
    const first = await paymount({}, ...args, '--environment', 'test');
    expect([first.exitCode, first.out], first.said).to.deep.equal([
      0,
      ['The file has 1 notices; 1 of them were new.'],
    ]);
    const booked = await query<{ amount: number }>(
      setup.databaseUrl,
      `SELECT amount::int FROM paymount.settlement_lines WHERE account_id = '${setup.account}'`,
    );
    expect(booked).to.deep.equal([{ amount: 10_000 }]);
    const again = await paymount({}, '--json', ...args, '--environment', 'test');
    expect(toJson(again)).to.deep.equal({ notices: 1, recorded: 0 });
  });

  it('says what is wrong, and stores nothing', async () => {
    const config = await writeOptions();
    const broken = join(folder, 'broken.jsonl');
    await writeFile(broken, 'not json\n');
    const ingest = (file: string, ...more: string[]) =>
      paymount({}, '--config', config, 'notices', 'ingest', file, ...more);
    for (const [outcome, exitCode, said] of [
      [await ingest(broken), 2, "required option '--environment <name>'"],
      [await ingest(join(folder, 'absent'), '--environment', 'test'), 2, 'cannot be read'],
      [await ingest(folder, '--environment', 'test'), 2, 'is not a file'],
      [await ingest(broken, '--environment', 'test'), 1, 'is not valid JSON'],
      [
        await paymount({ DATABASE_URL: setup.databaseUrl }, ...INGEST, broken, ...TEST),
        2,
        '--config',
      ],
    ] as const) {
      expect([outcome.exitCode, outcome.out], outcome.said).to.deep.equal([exitCode, []]);
      expect(outcome.err.join(' ')).to.include(said);
    }
  });
});

const INGEST = ['notices', 'ingest'];
const TEST = ['--environment', 'test'];
