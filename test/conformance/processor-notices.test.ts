import { newId } from '@paymount/core/kernel';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor, type ProcessorFixtures, type ProcessorReport } from '@paymount/testing';
import { expect } from 'chai';
import type { Notice, NoticeData, NoticeKind, NoticeSource } from 'paymount/processor';
import { type SharedMemory, sharedMemory } from '../support/operation-memory.ts';
import { sandboxNotices } from '../support/sandbox-notices.ts';
import {
  inOnePiece,
  type MangleNotice,
  mangling,
  SigningBank,
  signedNotices,
} from '../support/signing-bank.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

/** It believes everybody. */
class TrustingBank extends SigningBank {
  override check(): void {}
}

/** It checks the signature when it has read everything. */
class LateBank extends SigningBank {
  override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if ('file' in source) throw new Error('This bank has no files.');
    yield* this.read(source);
    this.check(source);
  }
}

/** It takes each piece of a file for whole lines. */
class HastyReader extends SandboxProcessor {
  override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if (!('file' in source)) throw new Error('This bank sends no requests.');
    for await (const bytes of source.file) {
      for (const line of Buffer.from(bytes).toString().split('\n')) yield JSON.parse(line);
    }
  }
}

/** Changes the data of the notices of a kind. */
function data<Kind extends NoticeKind>(
  kind: Kind,
  change: (data: NoticeData[Kind]) => object,
): MangleNotice {
  return (notice) =>
    notice.kind === kind
      ? { ...notice, data: { ...notice.data, ...change(notice.data as NoticeData[Kind]) } }
      : notice;
}

const AGAIN = 'ingest must yield the same when it gets the same bytes again, in other pieces.';

function unreadable(issue: string): string {
  return `The core cannot read what ingest answered: ${issue}.`;
}

/** What adapters read carelessly, with the case that finds it and what that case says. */
const MISTAKES: Record<string, [MangleNotice, found: string, says: string]> = {
  'returns a bank debit without the code of the bank': [
    data('charge.failed', () => ({ returnCode: undefined })),
    'reads a notice that a bank debit was returned, with its return code',
    'The returnCode must be "R01"; it is "undefined".',
  ],
  'makes a new id at each reading': [
    (notice) => ({ ...notice, noticeId: newId('evt') }),
    'reads notices in any order, and gives each the same id when it comes again',
    AGAIN,
  ],
  'makes the kind the id': [
    (notice) => ({ ...notice, noticeId: notice.kind }),
    'reads a notice of kind refund.failed once, with the code of the failure',
    'Two notices have the same noticeId.',
  ],
  'reads another amount of a refund': [
    data('refund.settled', ({ amount }) => ({ amount: amount + 1 })),
    'reads a notice of kind refund.settled once, with the amount of the refund',
    "ingest must answer { amount: 4200, currency: 'eur' }; it answered { amount: 4201, currency: 'eur' }.",
  ],
  'reads the amount of a refund in euros': [
    data('refund.settled', ({ amount }) => ({ amount: amount / 1_000 })),
    'reads a notice of kind refund.settled once, with the amount of the refund',
    unreadable('data.amount must be an integer from 1 to 999999999999; it is of type number'),
  ],
  'names the charge instead of the refund': [
    (notice) =>
      notice.kind === 'refund.settled'
        ? { ...notice, operationId: undefined, processorReference: 'sandbox_1' }
        : notice,
    'reads a notice of kind refund.settled once, with the amount of the refund',
    'ingest must yield one refund.settled about each operation; it yielded 0 about one.',
  ],
  'names another operation than its reference does': [
    (notice) =>
      notice.kind === 'refund.failed' ? { ...notice, processorReference: 'sandbox_1' } : notice,
    'reads a notice of kind refund.failed once, with the code of the failure',
    'ingest must yield one refund.failed about each operation; it yielded 0 about one.',
  ],
  'fails a refund with a code of its own': [
    data('refund.failed', () => ({ code: 'E-51' })),
    'reads a notice of kind refund.failed once, with the code of the failure',
    '"e-51" is not in the table of errors.',
  ],
  'reads an alert of a hundred times the amount': [
    data('dispute.alert', ({ amount }) => ({ amount: amount * 100 })),
    'reads a notice of kind dispute.alert once, with the amount',
    'A dispute of the charge takes at most 4200 eur; it takes 420000 eur.',
  ],
  'reads a chargeback in the currency of the cardholder': [
    data('dispute.opened', () => ({ currency: 'jpy' })),
    'reads a notice of kind dispute.opened once, with the amount',
    'A dispute of the charge takes at most 4200 eur; it takes 4200 jpy.',
  ],
  'reads a chargeback without the name of the dispute': [
    data('dispute.opened', () => ({ disputeReference: undefined })),
    'reads a notice of kind dispute.opened once, with the amount',
    unreadable('data.disputeReference must be a text of 1 to 255 characters; it is absent'),
  ],
  'names a chargeback by its own reference': [
    (notice) =>
      notice.kind === 'dispute.opened'
        ? { ...notice, processorReference: notice.data.disputeReference }
        : notice,
    'reads a notice of kind dispute.opened once, with the amount',
    'ingest must yield one dispute.opened about each operation; it yielded 0 about one.',
  ],
  'reads a ruling in a word of its own': [
    data('dispute.closed', () => ({ outcome: 'merchant_won' })),
    'reads a notice of kind dispute.closed once, with the reference that the dispute was opened with',
    unreadable(
      'data.outcome must be one of won, lost, warning_closed; it is a text of 12 characters',
    ),
  ],
  'names the dispute of a ruling in another way': [
    data('dispute.closed', () => ({ disputeReference: 'dispute_1' })),
    'reads a notice of kind dispute.closed once, with the reference that the dispute was opened with',
    "ingest must answer 'dispute_op_…'; it answered 'dispute_1'.",
  ],
  'does not say which payout was paid': [
    ({ operationId: _, processorReference: __, ...notice }) => notice,
    'reads a notice of kind payout.paid once, with the payout that it is about',
    unreadable(
      'processorReference must be a text if operationId is absent, in a notice of kind payout.paid; it is absent',
    ),
  ],
  'fails a payout without a word': [
    data('payout.failed', () => ({ message: '' })),
    'reads a notice of kind payout.failed once, with the code of the failure',
    'A failure has a message.',
  ],
  'leaves a payout out that failed': [
    (notice) => (notice.kind === 'payout.failed' ? [] : notice),
    'reads a notice of kind payout.failed once, with the code of the failure',
    'ingest must yield one payout.failed about each operation; it yielded 0 about one.',
  ],
  'reads no change in the update of a card': [
    data('account_update', () => ({ expYear: undefined })),
    'reads a notice of kind account_update once, with what has changed',
    'An account_update says what has changed.',
  ],
  'reads the net amount of a settlement': [
    data('settlement_line', ({ amount }) => ({ amount: amount - 35, fee: 35 })),
    'reads a notice of kind settlement_line once, with the gross amount',
    "ingest must answer { amount: 4200, currency: 'eur' }; it answered { amount: 4165, currency: 'eur' }.",
  ],
  'reads a settlement line twice': [
    (notice) =>
      notice.kind === 'settlement_line'
        ? [notice, { ...notice, noticeId: `${notice.noticeId}_fee` }]
        : notice,
    'reads a notice of kind settlement_line once, with the gross amount',
    'ingest must yield one settlement_line about each operation; it yielded 2 about one.',
  ],
};

type MakeNotices = (memory: SharedMemory, bank: () => SandboxProcessor) => Notices;
type Notices = NonNullable<ProcessorFixtures['notices']>;

async function check(
  Bank: typeof SandboxProcessor,
  notices: MakeNotices,
): Promise<ProcessorReport> {
  const memory = sharedMemory();
  const bank = () => new Bank({ memory, clock, settlementLines: true });
  return checkProcessor(bank, {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    debited: { type: 'us_bank_account', token: 'pm_usBankAccount_success' },
    notices: notices(memory, bank),
  });
}

function complaints({ failed }: ProcessorReport): ReadonlyMap<string, string> {
  const withoutIds = (text: string) => text.replaceAll(/op_\w+/g, 'op_…');
  return new Map(failed.map(({ name, error }) => [name, withoutIds(error.message)]));
}

/** The cases of what nobody signed, with the same complaint. */
function unsigned(complaint: string): ReadonlyMap<string, string> {
  return new Map([
    ['refuses a body that was changed after it was signed, before it yields anything', complaint],
    ['refuses a body without a signature', complaint],
    ['refuses what nobody signed, whatever kind of notice it holds', complaint],
  ]);
}

describe('The cases for notices', () => {
  it('pass for an adapter that checks signatures', async () => {
    const report = await check(SigningBank, signedNotices);
    expect([...complaints(report)]).to.deep.equal([]);
    expect(report.passed.filter((name) => name.includes('notice'))).to.have.lengthOf(14);
    expect(report.passed).to.include('refuses a body without a signature');
  });

  it('fail for an adapter that takes what nobody signed', async () => {
    const report = await check(TrustingBank, signedNotices);
    const complaint = 'ingest must throw for a wrong signature.';
    expect(complaints(report)).to.deep.equal(unsigned(complaint));
  });

  it('fail for an adapter that yields notices before it has checked the signature', async () => {
    const report = await check(LateBank, signedNotices);
    const complaint = 'ingest must check the signature before it yields anything.';
    expect(complaints(report)).to.deep.equal(unsigned(complaint));
  });

  it('fail for an adapter that takes the content of its files from anybody', async () => {
    class OpenBank extends SandboxProcessor {
      override ingest(source: NoticeSource): AsyncIterable<Notice> {
        return super.ingest('file' in source ? source : { file: inOnePiece(source.body) });
      }
    }
    const report = await check(OpenBank, sandboxNotices);
    const complaint = 'ingest must throw for a wrong signature.';
    expect(complaints(report)).to.deep.equal(unsigned(complaint));
  });

  it('fail for an adapter that takes each piece of a file for whole lines', async () => {
    const found = complaints(await check(HastyReader, sandboxNotices));
    expect(found.get('reads a notice of kind refund.failed once, with the code of the failure'))
      .to.be.a('string')
      .and.match(/JSON/);
  });

  it('fail for an adapter that leaves out the last line of a file', async () => {
    class ForgetfulReader extends SandboxProcessor {
      override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
        let last: Notice | undefined;
        for await (const notice of super.ingest(source)) {
          if (last !== undefined) yield last;
          last = notice;
        }
      }
    }
    const found = complaints(await check(ForgetfulReader, sandboxNotices));
    expect(found.get('reads a notice of kind account_update once, with what has changed')).to.equal(
      'ingest must yield one account_update about each operation; it yielded 0 about one.',
    );
  });

  for (const [mistake, [mangle, found, says]] of Object.entries(MISTAKES)) {
    it(`fail for an adapter that ${mistake}`, async () => {
      const report = await check(mangling(mangle), signedNotices);
      expect(complaints(report).get(found)).to.equal(says);
    });
  }

  it('are left out, with the reason, without what the processor sends', async () => {
    const { leftOut } = await check(SigningBank, () => ({}));
    expect(leftOut.map(({ reason }) => reason)).to.include.members([
      'The fixtures have no notice `charge.settled`.',
      'The fixtures have no notice `dispute.closed`.',
      'The fixtures have no notice `settlement_line`.',
    ]);
  });
});
