import { createHash, randomUUID } from 'node:crypto';
import type {
  CardChecks,
  CardFacts,
  TokenizeInput,
  TokenizeRefusal,
  TokenizeResult,
} from '@paymount/core/payments';
import { findCardByNumber, findCardByToken, type TestCard } from './test-cards.ts';
import { isCounted, tokenWithSerial } from './turns.ts';

/** Cards named by a token instead of a number expire at the end of the year after next. */
const TOKEN_EXPIRY_YEARS = 2;
const TOKEN_EXPIRY_MONTH = 12;
const FINGERPRINT_LENGTH = 16;

/**
 * Turns a published test card into facts. Any future expiry and any
 * security code of the right length are taken; a number outside the table never is.
 * @param now business time, by which the expiry is checked in UTC
 */
export function tokenizeCard(
  input: Exclude<TokenizeInput, { readonly usBankAccount: object }>,
  now: Date,
): TokenizeResult {
  if ('token' in input) {
    const card = findCardByToken(input.token);
    if (card === undefined) return { result: 'unknown_token' };
    const expYear = now.getUTCFullYear() + TOKEN_EXPIRY_YEARS;
    return tokenized(card, TOKEN_EXPIRY_MONTH, expYear, cvcCheck(card, true));
  }
  const { expMonth, expYear, cvc } = input.card;
  const number = input.card.number.replaceAll(' ', '');
  if (!passesLuhn(number)) {
    return refused('incorrect_number', 'Your card number is incorrect.');
  }
  const card = findCardByNumber(number);
  if (card === undefined) {
    return refused(
      'live_card_in_sandbox',
      'The test environment takes the published test numbers only.',
    );
  }
  if (!Number.isInteger(expMonth) || expMonth < 1 || expMonth > 12) {
    return refused('invalid_expiry_month', "Your card's expiration month is invalid.");
  }
  if (isPast(expMonth, expYear, now)) {
    return refused('invalid_expiry_year', "Your card's expiration date is in the past.");
  }
  if (cvc !== undefined && !(card.brand === 'amex' ? /^\d{4}$/ : /^\d{3}$/).test(cvc)) {
    return refused('invalid_cvc', "Your card's security code has the wrong number of digits.");
  }
  return tokenized(card, expMonth, expYear, cvcCheck(card, cvc !== undefined));
}

function tokenized(
  card: TestCard,
  expMonth: number,
  expYear: number,
  check: CardChecks['cvcCheck'],
): TokenizeResult {
  const facts: CardFacts = {
    brand: card.brand,
    last4: card.number?.slice(-4) ?? '0000',
    expMonth,
    expYear,
    fingerprint: fingerprintCard(card),
    funding: card.funding,
    country: 'US',
    checks: { cvcCheck: check, addressPostalCodeCheck: null },
  };
  const token = `tok_${card.name}`;
  const processorToken = isCounted(card.name) ? tokenWithSerial(token, randomUUID()) : token;
  return { result: 'tokenized', facts: { type: 'card', card: facts, processorToken } };
}

function refused(code: TokenizeRefusal, message: string): TokenizeResult {
  return { result: 'refused', code, message };
}

function cvcCheck(card: TestCard, given: boolean): CardChecks['cvcCheck'] {
  if (!given) return null;
  const { charge } = card;
  return charge.does === 'decline' && charge.decline.code === 'incorrect_cvc' ? 'fail' : 'pass';
}

function isPast(month: number, year: number, now: Date): boolean {
  const thisYear = now.getUTCFullYear();
  return year < thisYear || (year === thisYear && month < now.getUTCMonth() + 1);
}

/** The same for the same card, whether it came as a number or as a token. */
function fingerprintCard(card: TestCard): string {
  const digest = createHash('sha256')
    .update(`sandbox:${card.number ?? card.name}`)
    .digest('hex');
  return digest.slice(0, FINGERPRINT_LENGTH);
}

/** The check digit of card numbers (ISO/IEC 7812-1). */
function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
