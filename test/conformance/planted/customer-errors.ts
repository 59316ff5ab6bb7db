import { type Planted, planted } from './planted-errors.ts';

const CHARGE = 'UPDATE paymount.charges SET';
const METHOD = 'UPDATE paymount.payment_methods SET';
const CUSTOMER = 'UPDATE paymount.customers SET';
const PAYER = 'The customer of a charge exists.';
const OWN = 'A charge with a payment method of a customer is a charge of that customer.';
const DEFAULT = 'The default payment method of a customer is attached to that customer.';
const ONCE = 'A payment method that no customer had pays one charge, which it names.';
const USED = 'A payment method that was used up has paid the charge that it names.';
const SUM = 'The balance of a customer in a currency is the sum of its balance transactions.';
const CHAIN = 'The ending balance of a balance transaction is the one before plus the amount.';
const MOVES = 'FROM paymount.customer_balance_transactions WHERE';
const of = (charge: string): string =>
  `(SELECT payment_method_id FROM paymount.charges WHERE id = '${charge}')`;
const methodsOf = (customer: string): string => `WHERE customer_id = '${customer}'`;

/** Errors in customers, their payment methods, and what pays charges. */
export const CUSTOMER_ERRORS: readonly Planted[] = [
  planted(
    'a customer whose row is gone',
    ({ buyer }) => `DELETE FROM paymount.customers WHERE id = '${buyer}'`,
    PAYER,
    'The customer of a payment method exists.',
  ),
  planted(
    'a charge of a customer of the other environment',
    ({ buyer }) => `${CUSTOMER} livemode = true WHERE id = '${buyer}'`,
    PAYER,
    'The customer of a payment method exists.',
    DEFAULT,
  ),
  planted(
    'a payment method of a deleted customer',
    ({ gone, stranger }) => `${METHOD} customer_id = '${gone}' ${methodsOf(stranger)}`,
    'A customer that was deleted has no payment method.',
    DEFAULT,
  ),
  planted(
    'the payment method of another customer as the default',
    ({ bought, stranger }) => `${CUSTOMER} default_payment_method_id = ${of(bought)}
      WHERE id = '${stranger}'`,
    DEFAULT,
  ),
  planted(
    'a default payment method that does not exist',
    ({ buyer }) => `${CUSTOMER} default_payment_method_id = 'pm_none' WHERE id = '${buyer}'`,
    DEFAULT,
  ),
  planted(
    'a charge with a payment method of another customer',
    ({ bought, stranger }) => `${CHARGE} customer_id = '${stranger}' WHERE id = '${bought}'`,
    OWN,
  ),
  planted(
    'a charge of nobody with a payment method of a customer',
    ({ bought }) => `${CHARGE} customer_id = NULL WHERE id = '${bought}'`,
    OWN,
  ),
  planted(
    'a payment method that pays once and was charged twice',
    ({ sale, fresh }) => `${CHARGE} payment_method_id = ${of(sale)} WHERE id = '${fresh}'`,
    ONCE,
    USED,
  ),
  planted(
    'a payment method that has paid, and is said to be unused',
    ({ sale }) => `${METHOD} consumed_by = NULL WHERE id = ${of(sale)}`,
    ONCE,
  ),
  planted(
    'a customer of a charge that was paid with a payment method of nobody',
    ({ sale, buyer }) => `${CHARGE} customer_id = '${buyer}' WHERE id = '${sale}'`,
    'A charge whose payment method pays once has no customer.',
  ),
  planted(
    'a charge whose payment method is gone',
    ({ sale }) => `DELETE FROM paymount.payment_methods WHERE id = ${of(sale)}`,
    'The payment method of a charge exists.',
  ),
  planted(
    'a card that paid what is shown as a bank debit',
    ({ debit }) => `${METHOD} us_bank_account = NULL, card = '{}' WHERE id = ${of(debit)}`,
    'A charge shows a card if its payment method is one, and a bank account if it is one.',
  ),
  planted(
    'a bank account that was debited without a mandate',
    ({ debit }) => `${METHOD} mandate = NULL WHERE id = ${of(debit)}`,
    'A bank account is debited with a mandate.',
  ),
  planted(
    'a payment method that has left the test clock of its customer',
    ({ clocked }) => `${METHOD} test_clock_id = NULL WHERE id = ${of(clocked)}`,
    'A payment method is on the test clock of its customer.',
  ),
  planted(
    'a balance that a process of the previous version has set',
    ({ stranger }) => `${CUSTOMER} balance = -400 WHERE id = '${stranger}'`,
    'The balance of a customer that earlier versions read is that in its currency.',
  ),
  planted(
    'a balance that its moves do not add up to',
    ({ stranger }) => `${CUSTOMER} balance = -400, balances = '{"eur":-400,"jpy":7}'
      WHERE id = '${stranger}'`,
    SUM,
  ),
  planted(
    'a balance in a currency that nothing moved',
    ({ buyer }) => `${CUSTOMER} currency = 'eur', balances = '{"eur":0}'
      WHERE id = '${buyer}'`,
    SUM,
  ),
  planted(
    'a balance that the customer does not show',
    ({ stranger }) => `${CUSTOMER} balances = '{"eur":-300}' WHERE id = '${stranger}'`,
    SUM,
  ),
  planted(
    'a balance of a customer without a currency',
    ({ stranger }) => `${CUSTOMER} currency = NULL, balance = 0 WHERE id = '${stranger}'`,
    'A customer with balance transactions has a currency of its own.',
  ),
  planted(
    'a move of a balance that is gone',
    ({ stranger }) =>
      `DELETE ${MOVES} customer_id = '${stranger}' AND currency = 'eur' AND number = 1`,
    'The balance transactions of a customer in a currency are numbered without gaps.',
    CHAIN,
  ),
  planted(
    'a move of a balance by another amount',
    ({ move }) => `UPDATE paymount.customer_balance_transactions SET amount = 300
      WHERE id = '${move}'`,
    CHAIN,
  ),
];
