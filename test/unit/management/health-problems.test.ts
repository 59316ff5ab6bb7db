import { findProblems, type Health } from '@paymount/management';
import { expect } from 'chai';

const WELL: Health = {
  database: { reachable: true, latencyMs: 1 },
  schema: 'current',
  epoch: { gen: 1n, inRecovery: false },
  queue: 'absent',
  overdueMs: { fast: 0, slow: 0 },
  logDaysAhead: 7,
  mails: { waiting: 0, givenUp: 0 },
  endpoints: { enabled: { fast: 1, slow: 0 }, disabled: { fast: 0, slow: 0 }, failing: 0 },
  notices: { live: { underReview: 0 }, test: { underReview: 9 } },
  operations: { live: { underReview: 0, hookWaits: 0 }, test: { underReview: 3, hookWaits: 0 } },
  hook: 'none',
  sealingKey: '2026',
  missingSealingKeys: [],
};
const HOUR = 3_600_000;

const worker = (pollAgeMs: number, clockOffsetMs: number): Partial<Health> => ({
  worker: {
    pollAgeMs,
    clockOffsetMs,
    sendingHeld: false,
    lockedEndpoints: [],
    inFlight: {},
    failingTasks: [],
  },
});

const held: Partial<Health> = {
  worker: {
    pollAgeMs: 0,
    clockOffsetMs: 0,
    inFlight: {},
    failingTasks: [],
    sendingHeld: true,
    lockedEndpoints: [],
  },
};

const mails = (waiting: number, oldestMs: number): Partial<Health> => ({
  mails: { waiting, oldestMs, givenUp: 0 },
});

describe('The problems of the health', () => {
  const cases: readonly (readonly [string, Partial<Health>, readonly string[]])[] = [
    ['nothing', {}, []],
    ['a silent database', { database: { reachable: false } }, ['database_unreachable']],
    ['a standby', { epoch: { gen: 1n, inRecovery: true } }, ['database_is_standby']],
    ['foreign tables', { schema: 'unusable' }, ['schema_unusable']],
    ['a worker that polled a minute ago', worker(60_000, 0), []],
    ['a worker that polled longer ago', worker(60_001, 0), ['worker_stuck']],
    ['a clock that is 30 s behind', worker(0, 30_000), []],
    ['a clock that is more behind', worker(0, 30_001), ['clock_off']],
    ['a clock that is more ahead', worker(0, -30_001), ['clock_off']],
    ['results that cannot be recorded', held, ['sending_held']],
    ['deliveries a minute late', { overdueMs: { fast: 60_000, slow: 600_000 } }, []],
    ['deliveries that are later', { overdueMs: { fast: 60_001, slow: 0 } }, ['deliveries_overdue']],
    ['no Redis that answers', { queue: 'unreachable' }, ['queue_unreachable']],
    ['a Redis that evicts', { queue: 'evicting' }, ['queue_evicts']],
    ['a log for two days', { logDaysAhead: 2 }, []],
    ['a log for one day', { logDaysAhead: 1 }, ['log_partitions_short']],
    ['e-mails that wait for 2 h', mails(1, 2 * HOUR), []],
    ['e-mails that wait longer', mails(1, 2 * HOUR + 1), ['mails_late']],
    ['an e-mail that was given up', { mails: { waiting: 0, givenUp: 1 } }, ['mails_given_up']],
    ['a hook elsewhere', { hook: 'missing' }, ['hook_missing']],
    ['keys that are elsewhere', { missingSealingKeys: ['2027'] }, ['sealing_keys_missing']],
    [
      'live operations for a person',
      {
        operations: {
          live: { underReview: 1, hookWaits: 0 },
          test: { underReview: 0, hookWaits: 0 },
        },
      },
      ['operations_under_review'],
    ],
    [
      'a live notice for a person',
      { notices: { live: { underReview: 1 }, test: { underReview: 0 } } },
      ['notices_under_review'],
    ],
  ];
  for (const [what, difference, codes] of cases) {
    it(`are ${codes.join() || 'none'} with ${what}`, () => {
      const found = findProblems({ ...WELL, ...difference });
      expect(found.map(({ code }) => code)).to.deep.equal(codes);
    });
  }

  it('name the parts that could not be read in time', () => {
    const { overdueMs: _, ...rest } = WELL;
    expect(findProblems(rest).map(({ code }) => code)).to.deep.equal(['unknown']);
  });
});
