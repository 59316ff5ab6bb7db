import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { columnTypes } from '../../../../packages/storage-postgres/src/connection/column-types.ts';
import {
  isRerunnable,
  translated,
} from '../../../../packages/storage-postgres/src/connection/sql-errors.ts';
import { present } from '../../../../packages/storage-postgres/src/shared/present-rows.ts';

describe('values of columns', () => {
  const instant: unknown = columnTypes.getTypeParser(1184);

  for (const [text, iso] of [
    ['2026-11-01 09:30:00.123+00', '2026-11-01T09:30:00.123Z'],
    ['2026-11-01 09:30:00+00', '2026-11-01T09:30:00.000Z'],
    ['2026-11-01 09:30:00.123456+05:30', '2026-11-01T04:00:00.123Z'],
    ['2026-11-01 09:30:00-03', '2026-11-01T12:30:00.000Z'],
  ] as const) {
    it(`reads ${text} in any time zone of the session`, () => {
      expect((instant as (text: string) => Date)(text).toISOString()).to.equal(iso);
    });
  }

  it('reads no time that no Date is', () => {
    for (const text of ['0001-01-01 00:00:00+00 BC', 'infinity', '-infinity']) {
      expect(() => (instant as (text: string) => Date)(text)).to.throw(
        RangeError,
        `A column holds the time ${text}.`,
      );
    }
  });

  it('reads int8 whole, beyond what a Number holds', () => {
    const whole: unknown = columnTypes.getTypeParser(20);
    expect((whole as (text: string) => bigint)('9007199254740993')).to.equal(9007199254740993n);
  });

  it('leaves out what is null, and keeps what is falsy', () => {
    expect(present({ a: null, b: 0, c: '', d: false })).to.deep.equal({ b: 0, c: '', d: false });
  });
});

describe('errors of PostgreSQL', () => {
  const refused = (code: string, constraint?: string): Error =>
    Object.assign(new Error('refused'), {
      severity: 'ERROR',
      code,
      ...(constraint && { constraint }),
    });
  const errorCode = (error: unknown): string => {
    const said = translated(error);
    return PaymountError.is(said) ? said.code : 'as it was';
  };

  for (const [what, error, code] of [
    ['a lock limit', refused('55P03'), 'lock_timeout'],
    ['a statement limit', refused('57014'), 'lock_timeout'],
    ['a full disk', refused('53100'), 'unavailable'],
    ['too many connections', refused('53300'), 'unavailable'],
    ['a read-only server', refused('25006'), 'unavailable'],
    ['a cut connection', new Error('Connection terminated unexpectedly'), 'unavailable'],
    ['a second operation', refused('23505', 'operations_one_unresolved'), 'operation_in_progress'],
    ['an overdraft', refused('23514', 'ledger_account_available_covered'), 'balance_insufficient'],
    ['a broken CHECK', refused('23514', 'charges_amounts_in_order'), 'as it was'],
    ['a second row of one id', refused('23505', 'charges_pkey'), 'as it was'],
  ] as const) {
    it(`takes ${what} as ${code}`, () => {
      expect(errorCode(error)).to.equal(code);
    });
  }

  it('reruns serialization failures and deadlocks only', () => {
    expect(
      ['40001', '40P01', '23505', '55P03'].map((code) => isRerunnable(refused(code))),
    ).to.deep.equal([true, true, false, false]);
  });
});
