import { expect } from 'chai';
import { query } from '../support/database.ts';
import { isNightly } from '../support/depth.ts';
import {
  type Case,
  drawCases,
  type End,
  endAtBank,
  everyCase,
  type Told,
} from '../support/dispute-orders.ts';
import { type DisputeSetup, startDisputeSetup } from '../support/dispute-setup.ts';
import { notice, type SentNotice } from '../support/notifying-bank.ts';

/** Charges at a time: what one request brings is applied in its order. */
const BATCH = 50;
/** How many orders of each history a daily run draws. */
const DAILY = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** When the first thing happened at the bank. */
const BEGAN = Date.parse('2026-01-01T00:00:00.000Z');

/** A case with the charge that it is played on. */
interface Played extends Case {
  readonly charge: string;
  readonly reference: string;
}

interface Shown {
  readonly charge_id: string;
  readonly dispute: string;
  readonly status: string;
  readonly taken: number;
}

const STATUS: Readonly<Record<string, string>> = {
  needs_response: 'open',
  under_review: 'open',
  // The issuer may still rule.
  'ended here': 'open',
};

describe('The notices of disputes', function () {
  this.timeout(isNightly ? 60 * 60_000 : 120_000);
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());

  const played = async (cases: readonly Case[]): Promise<readonly Played[]> => {
    const all: Played[] = [];
    for (const each of cases) {
      const { id: charge, reference } = await setup.sale();
      all.push({ ...each, charge, reference });
    }
    return all;
  };

  /** The merchant answers if the dispute takes an answer just then. */
  const answer = async ({ charge, answer: verb }: Played): Promise<void> => {
    const { body } = await setup.get(`/v1/disputes?charge=${charge}&status=needs_response`);
    const evidence = { uncategorized_text: 'She has signed.' };
    for (const { id } of body.data) {
      if (verb === 'accept') await setup.post(`/v1/disputes/${id}/close`).expect(200);
      else await setup.post(`/v1/disputes/${id}`, { evidence }).expect(200);
    }
  };

  /** Sends the reports of all cases, each case in its order. */
  const play = async (cases: readonly Played[]): Promise<void> => {
    const longest = Math.max(...cases.map(({ order }) => order.length));
    const answering = cases.filter(
      ({ answersAfter, isExpired }) => answersAfter !== undefined || isExpired,
    );
    const others = cases.filter((each) => !answering.includes(each));
    await setup.deliver(...others.flatMap((each) => each.order.flatMap((at) => told(each, at))));
    for (let place = 0; place < longest; place += 1) {
      await setup.deliver(
        ...answering.flatMap((each) => {
          const at = each.order[place];
          return at === undefined ? [] : told(each, at);
        }),
      );
      for (const each of answering) if (each.answersAfter === place) await answer(each);
    }
    // What waits for another report is tried again.
    await setup.pass(61_000);
    await setup.pass(61_000);
  };

  const ends = async (cases: readonly Played[]): Promise<ReadonlyMap<string, End>> => {
    const rows = await query<Shown>(
      setup.databaseUrl,
      `SELECT d.charge_id, split_part(d.processor_reference, ' ', 1) AS dispute,
          CASE WHEN d.closed_reason IN ('accepted', 'expired') THEN 'ended here'
            ELSE d.status END AS status,
          COALESCE((SELECT -sum(b.amount) FROM paymount.balance_transactions b
            WHERE b.source_id = d.id), 0)::integer AS taken
        FROM paymount.disputes d WHERE d.debit_id IS NOT NULL AND d.charge_id = ANY ($1)
        ORDER BY d.processor_reference`,
      [cases.map(({ charge }) => charge)],
    );
    return new Map(
      cases.map(({ charge }) => {
        const own = rows.filter((row) => row.charge_id === charge);
        const chargebacks = own.map(({ dispute, status }) => ({
          dispute,
          status: (STATUS[status] ?? status) as End['chargebacks'][number]['status'],
        }));
        return [charge, { chargebacks, taken: own.reduce((sum, row) => sum + row.taken, 0) }];
      }),
    );
  };

  it(`end as at the bank in whatever order they come${isNightly ? '' : ' (a sample)'}`, async () => {
    const cases = isNightly ? everyCase() : drawCases(DAILY);
    for (let from = 0; from < cases.length; from += BATCH) {
      const batch = await played(cases.slice(from, from + BATCH));
      await play(batch);
      const found = await ends(batch);
      for (const each of batch) {
        expect(found.get(each.charge), describeCase(each)).to.deep.equal(endAtBank(each.history));
      }
      const left = await query<{ reason: string; reference: string }>(
        setup.databaseUrl,
        `SELECT processor_reference AS reference, state || ': ' || kind || ': ' || reason AS reason
          FROM paymount.notices WHERE state IN ('waiting', 'quarantined')`,
      );
      const [first] = left;
      const of = batch.find(({ reference }) => reference === first?.reference);
      expect(
        left.map(({ reason }) => reason),
        of && describeCase(of),
      ).to.deep.equal([]);
    }
    expect(setup.errors).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});

/** A report of the bank, and again if the case is doubled: as the same notice, or under another id. */
function told(
  { history, charge, reference, isDoubled, isSkewed, isExpired }: Played,
  at: number,
): SentNotice[] {
  const { kind, dispute, amount, outcome, round } = history.told[at] as Told;
  const data = {
    disputeReference: `${dispute} of ${charge}`,
    ...(amount !== undefined && { amount, currency: 'eur', reason: 'fraudulent' }),
    ...(outcome !== undefined && { outcome }),
    ...(round !== undefined && { round }),
    ...(kind === 'dispute.opened' && isExpired && { dueBy: new Date(BEGAN).toISOString() }),
  };
  // Without rounds, only the times of rulings tell which is later.
  const skewMs =
    isSkewed && (round !== undefined || kind === 'dispute.alert') ? (at % 3) * DAY_MS : 0;
  const occurredAt = new Date(BEGAN + at * HOUR_MS + skewMs * (at % 2 === 0 ? 1 : -1));
  const sent = notice({
    kind,
    processorReference: reference,
    data,
    occurredAt: occurredAt.toISOString(),
  });
  if (!isDoubled) return [sent];
  return [sent, at % 2 === 0 ? sent : notice({ ...sent, noticeId: `${sent['noticeId']} again` })];
}

function describeCase({ history, order, ...rest }: Case): string {
  const { isDoubled, isSkewed, answersAfter, answer, isExpired } = rest;
  const words = order.map((at) => {
    const { kind, dispute, outcome, round } = history.told[at] as Told;
    return [kind, dispute, outcome, round].filter((word) => word !== undefined).join(' ');
  });
  return `${words.join(', ')} ${JSON.stringify({ isDoubled, isSkewed, answersAfter, answer, isExpired })}`;
}
