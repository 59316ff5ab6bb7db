import { type Planted, planted, toLine } from './planted-errors.ts';

const CUSTOMERS = 'A charge is on the test clock of its customer.';
const TOOK = 'What a charge took is on the test clock of the charge.';
const FUNDS = 'Funds on a test clock are available only once it shows their time.';

/** Errors in what is on test clocks. */
export const CLOCK_ERRORS: readonly Planted[] = [
  planted(
    'a charge that has left the test clock of its customer',
    ({ clocked }) => `UPDATE paymount.charges SET test_clock_id = NULL WHERE id = '${clocked}'`,
    CUSTOMERS,
    TOOK,
  ),
  planted(
    'money of a test clock in the time that everybody shares',
    ({ clocked }) => `UPDATE paymount.balance_transactions SET test_clock_id = NULL
      WHERE id = ${toLine(clocked, 'charge')}`,
    TOOK,
  ),
  planted(
    'funds on a test clock that does not exist',
    ({ clocked }) => `UPDATE paymount.balance_transactions SET test_clock_id = 'clock_none'
      WHERE id = ${toLine(clocked, 'charge')}`,
    TOOK,
    FUNDS,
  ),
  planted(
    'funds that are available before their test clock shows their time',
    ({ clocked }) => `UPDATE paymount.balance_transactions SET status = 'available'
      WHERE id = ${toLine(clocked, 'charge')}`,
    FUNDS,
    'Funds are moved to available exactly when their balance transaction says so.',
  ),
];
