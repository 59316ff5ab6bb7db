import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { begin, create, INVOICE, linesOf, renew, type Start } from './play-subscription.ts';

const UPFRONT = { at: '2030-04-16T00:00:00Z' } as const;
const none = { behavior: 'none' } as const;

/** `0: 2030-04-16 - 2030-05-01 billed`, of each row. */
function rowsOf(start: Start): readonly string[] {
  return create(start).newPeriods.map(
    ({ index, start: from, end, isBilled, invoiceId }) =>
      `${index}: ${toDay(from)} - ${toDay(end)} ${isBilled ? 'billed' : 'free'}${invoiceId === null ? '' : ', invoiced'}`,
  );
}

function toDay(at: Date): string {
  return at.toISOString().replace(/T00:00:00.000Z$/, '');
}

function refusal(start: Start): unknown {
  try {
    create(start);
  } catch (error) {
    if (error instanceof PaymountError) return [error.code, error.param];
    throw error;
  }
  return undefined;
}

describe('a new subscription', () => {
  it('bills the first period, and expires if it is not paid in 23 hours', () => {
    const decision = create({});
    expect(linesOf(decision)).to.deep.equal(['3000 1 × Basic (at 30.00 EUR / month)']);
    expect(decision.lines[0]?.period).to.deep.equal({
      start: '2030-04-01T00:00:00.000Z',
      end: '2030-05-01T00:00:00.000Z',
    });
    expect([decision.invoicing, decision.event]).to.deep.equal(['now', null]);
    const { status, version, nextActionAt, latestInvoiceId } = decision.subscription;
    expect([status, version, latestInvoiceId]).to.deep.equal(['incomplete', 1, INVOICE]);
    expect(nextActionAt).to.deep.equal(new Date('2030-04-01T23:00:00Z'));
    expect(rowsOf({})).to.deep.equal(['0: 2030-04-01 - 2030-05-01 billed, invoiced']);
  });

  it('begins in whole seconds', () => {
    const { subscription } = create({ at: '2030-04-01T10:20:30.999Z' });
    const { anchor } = subscription.calendar;
    expect([anchor, subscription.period.start].map((at) => at.toISOString())).to.deep.equal([
      '2030-04-01T10:20:30.000Z',
      '2030-04-01T10:20:30.000Z',
    ]);
  });

  it('is active at once if nothing is to be paid, or if the invoice is sent', () => {
    const free = create({ plan: { a: ['Free', 0] } });
    expect([free.subscription.status, free.event]).to.deep.equal([
      'active',
      'subscription.created',
    ]);
    expect(linesOf(free)).to.deep.equal(['0 1 × Free (at 0.00 EUR / month)']);
    const sent = create({ method: 'send_invoice' });
    expect([sent.subscription.status, sent.event]).to.deep.equal([
      'active',
      'subscription.created',
    ]);
  });

  it('costs nothing in a trial, and is anchored at its end', () => {
    const decision = create({ trialEnd: '2030-04-15T12:00:00Z' });
    expect(linesOf(decision)).to.deep.equal(['0 Trial period for Basic']);
    const { subscription, event } = decision;
    expect([subscription.status, event]).to.deep.equal(['trialing', 'subscription.created']);
    expect(subscription.calendar.anchor).to.deep.equal(new Date('2030-04-15T12:00:00Z'));
    expect(subscription.nextActionAt).to.deep.equal(new Date('2030-04-15T12:00:00Z'));
    expect(rowsOf({ trialEnd: '2030-04-15T12:00:00Z' })).to.deep.equal([
      '0: 2030-04-01 - 2030-04-15T12:00:00.000Z free, invoiced',
    ]);
  });

  const STUBS: readonly (readonly [string, Start, readonly string[], readonly string[]])[] = [
    [
      'half of an April',
      { ...UPFRONT, anchor: '2030-05-01T00:00:00Z' },
      ['1500 Time on Basic from 16 Apr 2030 until 1 May 2030'],
      ['0: 2030-04-16 - 2030-05-01 billed, invoiced'],
    ],
    [
      'nothing with none',
      { ...UPFRONT, anchor: '2030-05-01T00:00:00Z', ...none },
      [],
      ['0: 2030-04-16 - 2030-05-01 free'],
    ],
    [
      '16 of the 31 days of March',
      { at: '2030-03-16T00:00:00Z', anchor: '2030-04-01T00:00:00Z', plan: { a: ['M', 3_100] } },
      ['1600 Time on M from 16 Mar 2030 until 1 Apr 2030'],
      ['0: 2030-03-16 - 2030-04-01 billed, invoiced'],
    ],
    [
      '14 of the 31 days that end on 28 February',
      { at: '2030-02-14T00:00:00Z', anchor: '2030-02-28T00:00:00Z', plan: { a: ['M', 3_100] } },
      ['1400 Time on M from 14 Feb 2030 until 28 Feb 2030'],
      ['0: 2030-02-14 - 2030-02-28 billed, invoiced'],
    ],
    [
      'each item its part',
      {
        ...UPFRONT,
        anchor: '2030-05-01T00:00:00Z',
        plan: { a: ['Basic', 3_000], b: ['Extra', 1_500, 2] },
      },
      [
        '1500 Time on Basic from 16 Apr 2030 until 1 May 2030',
        '1500 Time on 2 × Extra from 16 Apr 2030 until 1 May 2030',
      ],
      ['0: 2030-04-16 - 2030-05-01 billed, invoiced'],
    ],
    [
      'a whole period if the anchor is now',
      { ...UPFRONT, anchor: '2030-04-16T00:00:00Z', ...none },
      ['3000 1 × Basic (at 30.00 EUR / month)'],
      ['0: 2030-04-16 - 2030-05-16 billed, invoiced'],
    ],
    [
      'the days in New York before an anchor at its midnight',
      {
        at: '2030-11-16T05:00:00Z',
        anchor: '2030-12-01T05:00:00Z',
        zone: 'America/New_York',
        plan: { a: ['N', 72_100] },
      },
      // 15 days of the 30 days and one hour of November there: 360 of 721 hours.
      ['36000 Time on N from 16 Nov 2030 until 1 Dec 2030'],
      ['0: 2030-11-16T05:00:00.000Z - 2030-12-01T05:00:00.000Z billed, invoiced'],
    ],
    [
      'half of the last day that Apia had before it skipped one',
      {
        at: '2011-12-30T08:00:00Z',
        anchor: '2011-12-30T20:00:00Z',
        zone: 'Pacific/Apia',
        interval: 'day',
      },
      ['1500 Time on Basic from 29 Dec 2011 until 31 Dec 2011'],
      ['0: 2011-12-30T08:00:00.000Z - 2011-12-30T20:00:00.000Z billed, invoiced'],
    ],
  ];
  for (const [what, start, lines, rows] of STUBS) {
    it(`bills up to its anchor ${what}`, () => {
      expect(linesOf(create(start))).to.deep.equal(lines);
      expect(rowsOf(start)).to.deep.equal(rows);
    });
  }

  const BACKDATED: readonly (readonly [string, Start, readonly string[], readonly string[]])[] = [
    [
      'half a month',
      { ...UPFRONT, backdatedTo: '2030-04-01T00:00:00Z' },
      [
        '1500 Time on Basic from 1 Apr 2030 until 16 Apr 2030',
        '3000 1 × Basic (at 30.00 EUR / month)',
      ],
      [
        '0: 2030-04-01 - 2030-04-16 billed, invoiced',
        '1: 2030-04-16 - 2030-05-16 billed, invoiced',
      ],
    ],
    [
      'two months and a half',
      { ...UPFRONT, backdatedTo: '2030-02-01T00:00:00Z' },
      [
        '7500 Time on Basic from 1 Feb 2030 until 16 Apr 2030',
        '3000 1 × Basic (at 30.00 EUR / month)',
      ],
      [
        '0: 2030-02-01 - 2030-04-16 billed, invoiced',
        '1: 2030-04-16 - 2030-05-16 billed, invoiced',
      ],
    ],
    [
      'a month and the one before the anchor',
      { ...UPFRONT, backdatedTo: '2030-03-01T00:00:00Z', anchor: '2030-05-01T00:00:00Z' },
      [
        '3000 Time on Basic from 1 Mar 2030 until 1 Apr 2030',
        '3000 1 × Basic (at 30.00 EUR / month)',
      ],
      [
        '0: 2030-03-01 - 2030-04-01 billed, invoiced',
        '1: 2030-04-01 - 2030-05-01 billed, invoiced',
      ],
    ],
    [
      'a part of the interval before the anchor',
      { ...UPFRONT, backdatedTo: '2030-04-11T00:00:00Z', anchor: '2030-05-01T00:00:00Z' },
      ['2000 Time on Basic from 11 Apr 2030 until 1 May 2030'],
      ['0: 2030-04-11 - 2030-05-01 billed, invoiced'],
    ],
    [
      'the time before a trial',
      { ...UPFRONT, backdatedTo: '2030-04-01T00:00:00Z', trialEnd: '2030-04-20T00:00:00Z' },
      ['1500 Time on Basic from 1 Apr 2030 until 16 Apr 2030', '0 Trial period for Basic'],
      ['0: 2030-04-01 - 2030-04-16 billed, invoiced', '1: 2030-04-16 - 2030-04-20 free, invoiced'],
    ],
    [
      'nothing of the past with none',
      { ...UPFRONT, backdatedTo: '2030-02-01T00:00:00Z', ...none },
      ['3000 1 × Basic (at 30.00 EUR / month)'],
      ['0: 2030-02-01 - 2030-04-16 free, invoiced', '1: 2030-04-16 - 2030-05-16 billed, invoiced'],
    ],
  ];
  for (const [what, start, lines, rows] of BACKDATED) {
    it(`that is backdated bills ${what}`, () => {
      expect(linesOf(create(start))).to.deep.equal(lines);
      expect(rowsOf(start)).to.deep.equal(rows);
    });
  }

  it('that runs elsewhere moves in without a charge, and is billed from its anchor on', () => {
    const start = {
      ...UPFRONT,
      ...none,
      backdatedTo: '2027-05-01T00:00:00Z',
      anchor: '2030-05-01T00:00:00Z',
    };
    const decision = create(start);
    expect([linesOf(decision), decision.invoicing, decision.event]).to.deep.equal([
      [],
      'none',
      'subscription.created',
    ]);
    expect(rowsOf(start)).to.deep.equal([
      '0: 2027-05-01 - 2030-04-01 free',
      '1: 2030-04-01 - 2030-05-01 free',
    ]);
    expect(decision.subscription.startDate).to.deep.equal(new Date('2027-05-01T00:00:00Z'));
    expect(linesOf(renew(begin(start)))).to.deep.equal(['3000 1 × Basic (at 30.00 EUR / month)']);
  });

  it('is billed no longer than to its end', () => {
    const decision = create({ cancelAt: '2030-04-11T00:00:00Z' });
    expect(linesOf(decision)).to.deep.equal([
      '1000 Time on Basic from 1 Apr 2030 until 11 Apr 2030',
    ]);
    expect(rowsOf({ cancelAt: '2030-04-11T00:00:00Z' })).to.deep.equal([
      '0: 2030-04-01 - 2030-05-01 billed, invoiced',
    ]);
  });

  const REFUSED: readonly (readonly [string, Start, string, string])[] = [
    ['a trial that ended', { trialEnd: '2030-04-01T00:00:00Z' }, 'trial_end_in_past', 'trial_end'],
    [
      'a trial of three years',
      { trialEnd: '2033-04-01T00:00:00Z' },
      'parameter_invalid',
      'trial_end',
    ],
    ['an end in the past', { cancelAt: '2030-04-01T00:00:00Z' }, 'cancel_at_in_past', 'cancel_at'],
    [
      'an anchor in the past',
      { anchor: '2030-03-31T23:59:59Z' },
      'parameter_invalid',
      'billing_cycle_anchor',
    ],
    [
      'an anchor more than an interval ahead',
      { anchor: '2030-05-01T00:00:01Z' },
      'parameter_invalid',
      'billing_cycle_anchor',
    ],
    [
      'an anchor before the end of the trial',
      { trialEnd: '2030-04-15T00:00:00Z', anchor: '2030-04-14T00:00:00Z' },
      'parameter_invalid',
      'billing_cycle_anchor',
    ],
    [
      'a beginning that is not in the past',
      { backdatedTo: '2030-04-01T00:00:00Z' },
      'parameter_invalid',
      'backdate_start_date',
    ],
    [
      'more than 1,200 intervals of the past',
      { backdatedTo: '2026-12-01T00:00:00Z', interval: 'day', plan: { a: ['Day', 1] } },
      'parameter_invalid',
      'backdate_start_date',
    ],
    [
      'past time that costs more than an invoice can ask for',
      { backdatedTo: '2030-01-01T00:00:00Z', plan: { a: ['Much', 50_000_000] } },
      'amount_too_large',
      'items',
    ],
  ];
  for (const [what, start, code, param] of REFUSED) {
    it(`refuses ${what}`, () => {
      expect(refusal(start)).to.deep.equal([code, param]);
    });
  }
});
