import { decideOnFailing, type FailingEndpoint } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';

const SINCE = new Date('2026-11-21T12:00:00Z');

function after(hours: number): Date {
  return new Date(SINCE.getTime() + hours * 3_600_000);
}

function failing(failedAtHours: number, more: Partial<FailingEndpoint> = {}): FailingEndpoint {
  return {
    endpoint: {
      accountId: newId('acct'),
      environment: 'test',
      id: newId('we'),
      version: 1,
      url: 'https://shop.example/hook',
      enabledEvents: ['*'],
      description: null,
      metadata: {},
      apiVersion: '2026-11-01',
      status: 'enabled',
      secretVersion: 1,
      created: SINCE,
    },
    failingSince: SINCE,
    failedAt: after(failedAtHours),
    isGone: false,
    mayDisable: true,
    account: { name: 'Shop', email: 'owner@shop.example' },
    ...more,
  };
}

const warned = (hours: number): Partial<FailingEndpoint> => ({
  warningQueuedAt: after(hours),
  warningSentAt: after(hours),
});

/** Results come from several machines, and a clock may be set back. */
describe('A failure whose time is before an earlier one', () => {
  const cases: readonly (readonly [string, FailingEndpoint, string | undefined])[] = [
    ['before the first failure', failing(-100), undefined],
    ['before the first warning', failing(24.5, warned(25)), undefined],
    [
      'before the final warning',
      failing(61, { ...warned(25), finalWarningQueuedAt: after(62) }),
      undefined,
    ],
    ['less than 12 hours after the warning was sent', failing(73, warned(61.5)), undefined],
    [
      'before the warning was sent',
      failing(73, { ...warned(50), warningSentAt: after(74) }),
      'final_warning',
    ],
    ['late enough after the warning', failing(73, warned(61)), 'disabling'],
    [
      'so late, and attempts of the first event follow',
      { ...failing(80, { ...warned(41), finalWarningQueuedAt: after(61) }), mayDisable: false },
      undefined,
    ],
  ];
  for (const [when, endpoint, kind] of cases) {
    it(`leads to ${kind ?? 'nothing'} if it is ${when}`, () => {
      expect(decideOnFailing(endpoint, undefined)?.kind).to.equal(kind);
    });
  }
});
