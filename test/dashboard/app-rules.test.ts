import { expect } from 'chai';
import { RefusedError, UnreachableError } from '../../packages/dashboard/app/api/problems.ts';
import { sendOnce } from '../../packages/dashboard/app/api/send-once.ts';
import { concernsOf } from '../../packages/dashboard/app/pages/home/key-concerns.ts';
import { lastDays, toBars } from '../../packages/dashboard/app/pages/keys/usage-days.ts';
import { isTestKey } from '../../packages/dashboard/app/pages/reference/test-key.ts';
import {
  bodyOf,
  draftFrom,
  missingIn,
} from '../../packages/dashboard/app/pages/replays/replay-draft.ts';
import { changesOf } from '../../packages/dashboard/app/pages/settings/account-draft.ts';
import { findById, pageOfId } from '../../packages/dashboard/app/ui/page-of-id.ts';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-06-01T12:00:00Z');

describe('Keys to look at in the dashboard', () => {
  const key = (name: string, more: Partial<Parameters<typeof concernsOf>[0][number]> = {}) => ({
    name,
    status: 'active' as const,
    expires_at: null,
    created: '2026-05-30T12:00:00Z',
    last_used_at: '2026-05-31T12:00:00Z',
    ...more,
  });
  const namesIn = (keys: readonly { readonly name: string }[]) => keys.map(({ name }) => name);

  it('end within two weeks or were unused for 30 days, and still work', () => {
    const soon = '2026-06-14T12:00:00Z';
    const { ending, unused } = concernsOf(
      [
        key('used'),
        key('ends soon', { expires_at: soon }),
        key('ends later', { expires_at: '2026-06-15T12:00:01Z' }),
        key('has ended', { expires_at: '2026-05-31T12:00:00Z', status: 'expired' }),
        key('was revoked', {
          last_used_at: null,
          created: '2026-01-01T00:00:00Z',
          status: 'revoked',
        }),
        key('old', { last_used_at: '2026-05-02T11:59:59Z' }),
        key('new, not used yet', { last_used_at: null }),
        key('never used', { last_used_at: null, created: '2026-05-01T00:00:00Z' }),
        key('unused and ends soon', { last_used_at: '2026-05-01T00:00:00Z', expires_at: soon }),
      ],
      NOW,
    );
    expect(namesIn(ending)).to.deep.equal(['ends soon', 'unused and ends soon']);
    expect(namesIn(unused)).to.deep.equal(['old', 'never used']);
  });
});

describe('The days of the chart of a key', () => {
  const formerZone = process.env['TZ'];

  before(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  after(() => {
    if (formerZone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = formerZone;
  });

  it('are all there around a change to and from summer time', () => {
    for (const [now, expected] of [
      ['2026-03-30T10:00:00Z', ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00']],
      ['2026-10-26T10:00:00Z', ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00']],
    ] as const) {
      const days = lastDays(new Date(now), 3).map((day) => day.toISOString().slice(0, 16));
      expect(days).to.deep.equal(expected);
    }
  });

  it('count each hour in its own day', () => {
    const hourOf = (hour: string, succeeded: number) => ({
      hour,
      succeeded,
      refused: 1,
      rate_limited: 2,
      failed: 3,
    });
    const hours = [
      hourOf('2026-10-24T21:00:00Z', 7),
      hourOf('2026-10-24T22:00:00Z', 10),
      hourOf('2026-10-25T22:00:00Z', 100),
    ];
    const bars = toBars(hours, lastDays(new Date('2026-10-26T10:00:00Z'), 3));
    expect(bars.map(({ values }) => values)).to.deep.equal([
      [7, 3, 3],
      [110, 6, 6],
      [0, 0, 0],
    ]);
    expect(new Set(bars.map(({ key }) => key))).to.have.lengthOf(3);
  });
});

describe('An action that got no answer', () => {
  const lost = new UnreachableError('The server does not answer.', true);
  const refused = new RefusedError(400, { code: 'parameter_invalid', message: 'No.' }, 0);

  /** The idempotency key with which an action is sent. */
  async function keyOf(action: string, nowMs: number, failure?: Error): Promise<string> {
    let sent = '';
    const answer = sendOnce(
      action,
      async (idempotencyKey) => {
        sent = idempotencyKey;
        if (failure !== undefined) throw failure;
      },
      () => nowMs,
    );
    await answer.catch(() => undefined);
    return sent;
  }

  it('is sent with the same idempotency key for five minutes, and then as a new one', async () => {
    const first = await keyOf('refund', 0, lost);
    expect(await keyOf('another refund', 0, lost)).not.to.equal(first);
    expect(await keyOf('refund', 5 * MINUTE_MS - 1, lost)).to.equal(first);
    expect(await keyOf('refund', 10 * MINUTE_MS, lost)).not.to.equal(first);
  });

  it('is another action after an answer', async () => {
    const first = await keyOf('charge', 0, lost);
    expect(await keyOf('charge', 1)).to.equal(first);
    const second = await keyOf('charge', 2, refused);
    expect(second).not.to.equal(first);
    expect(await keyOf('charge', 3)).not.to.equal(second);
  });
});

describe('The search box of the dashboard', () => {
  it('opens every kind of id that has a page, and the settings for the account', () => {
    expect(findById('evt_01', 'acct_1')).to.deep.equal({ page: 'events/evt_01' });
    expect(findById('acct_1', 'acct_1')).to.deep.equal({ page: 'settings' });
    expect(pageOfId('cus_01')).to.equal(undefined);
  });

  it('says what it cannot open', () => {
    for (const [text, problem] of [
      ['cus_01', 'IDs of this kind have no page.'],
      ['tok_01', 'IDs of this kind have no page.'],
      ['acct_2', 'To open another account, choose it in the menu.'],
      ['hello', 'Paste an ID such as evt_… or key_…'],
      ['', 'Paste an ID such as evt_… or key_…'],
    ] as const) {
      expect(findById(text, 'acct_1'), text).to.deep.equal({ problem });
    }
  });
});

describe('What forms of the dashboard send', () => {
  it('is only what was changed of the account', () => {
    const account = { name: 'Shop', email: 'ops@shop.example' };
    expect(changesOf({}, account)).to.deep.equal({});
    expect(changesOf({ name: 'Shop', email: '' }, account)).to.deep.equal({ email: null });
    expect(changesOf({ name: 'Tea' }, account)).to.deep.equal({ name: 'Tea' });
    expect(changesOf({ email: '' }, { ...account, email: null })).to.deep.equal({});
  });

  it('is nothing for a replay whose times are not understood', () => {
    const draft = draftFrom({ endpoint: 'we_1', states: 'failed' });
    expect([missingIn(draft), bodyOf(draft)]).to.deep.equal([
      undefined,
      { endpoint: 'we_1', states: ['failed'] },
    ]);
    expect(missingIn({ ...draft, until: undefined })).to.equal('Correct the time.');
  });

  it('is a test key alone in the reference', () => {
    expect(['sk_test_a1', 'rk_test_a1', 'pk_test_a1'].every(isTestKey)).to.equal(true);
    expect(['', 'sk_live_a1', 'sk_test_', 'sk_test_a b', 'x sk_test_a1'].some(isTestKey)).to.equal(
      false,
    );
  });
});
