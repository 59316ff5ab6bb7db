import { expect } from 'chai';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';

const DAY = 86_400_000;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const NOTE = 'Confirmed by phone.';

type Json = Readonly<Record<string, unknown>>;

describe('POST /settlement_differences/:id/settle', () => {
  let setup: NoticeSetup;
  let numbered = 0;

  beforeEach(async () => {
    setup = await startNoticeSetup();
  });
  afterEach(() => setup.close());

  /** @returns the reference of a charge at its processor */
  const charge = async (): Promise<string> =>
    (await setup.post('/v1/charges', SALE).expect(200)).body.processor.reference;
  const deliverLine = (processorReference: string, amount: number, currency = 'eur') => {
    numbered += 1;
    const settledOn = setup.clock.now().toISOString();
    const data = { lineId: `line_${numbered}`, amount, currency, settledOn, kind: 'payment' };
    return setup.deliver({ kind: 'settlement_line', processorReference, data });
  };
  /** The one that is open. */
  const find = async (kind: string): Promise<Json> => {
    const { json } = await setup.admin(`/settlement_differences?kind=${kind}`);
    const [difference, ...others] = json['data'] as Json[];
    expect(others).to.deep.equal([]);
    return difference ?? {};
  };
  const settle = ({ id }: Json, amounts: object) =>
    setup.admin(`/settlement_differences/${id}/settle`, { body: { note: NOTE, ...amounts } });
  /** What the audit log keeps about a difference. */
  const entriesOf = async ({ id }: Json): Promise<readonly unknown[]> =>
    ((await setup.admin(`/audit?target=${id}`)).json['data'] as Json[]).map(({ after }) => after);

  it('does not settle amounts that came after a person had looked', async () => {
    await deliverLine(await charge(), 10_000);
    await setup.pass(1_000);
    const reference = await charge();
    await setup.pass(8 * DAY);
    const seen = await find('not_settled');
    expect(seen).to.include({ expected: 10_000, found: 0 });
    await deliverLine(reference, 4_000);
    await setup.pass(DAY);
    const { status, error } = await settle(seen, { expected: 10_000, found: 0 });
    expect([status, error['code'], error['message']]).to.deep.equal([
      409,
      'settlement_difference_changed',
      `Settlement difference ${seen['id']} has other amounts now: 100.00 EUR expected, ` +
        '40.00 EUR found. Look at it again before you settle it.',
    ]);
    const now = await find('not_settled');
    expect(now).to.deep.equal({ ...seen, found: 4_000 });
    expect(await entriesOf(seen)).to.deep.equal([]);
    const settled = await settle(now, { expected: 10_000, found: 4_000 });
    expect(settled.json).to.deep.equal({ ...now, state: 'settled', note: NOTE });
    expect(await entriesOf(seen)).to.deep.equal([
      {
        state: 'settled',
        kind: 'not_settled',
        subject: seen['subject'],
        currency: 'eur',
        expected: 10_000,
        found: 4_000,
        note: NOTE,
      },
    ]);
  });

  it('takes both amounts as the difference shows them', async () => {
    await deliverLine(await charge(), 10_000, 'usd');
    const difference = await find('currency_differs');
    expect(difference).to.include({ expected: null, found: 10_000, currency: 'usd' });
    const changed =
      `Settlement difference ${difference['id']} has other amounts now: nothing expected, ` +
      '100.00 USD found. Look at it again before you settle it.';
    for (const [amounts, status, message] of [
      [{ found: 10_000 }, 400, 'expected is required.'],
      [{ expected: null }, 400, 'found is required.'],
      [{ expected: '-', found: 10_000 }, 400, 'expected must be an integer or null.'],
      [{ expected: null, found: null }, 400, 'found must be an integer.'],
      [{ expected: 0, found: 10_000 }, 409, changed],
      [{ expected: null, found: 9_999 }, 409, changed],
    ] as const) {
      const refused = await settle(difference, amounts);
      expect([refused.status, refused.error['message']]).to.deep.equal([status, message]);
    }
    expect(await find('currency_differs')).to.deep.equal(difference);
    const settled = await settle(difference, { expected: null, found: 10_000 });
    expect(settled.json).to.include({ state: 'settled', expected: null });
    const [entry] = await entriesOf(difference);
    expect(entry).to.include({ expected: null, found: 10_000, currency: 'usd' });
  });
});
