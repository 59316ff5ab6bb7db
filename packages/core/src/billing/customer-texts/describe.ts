import { fill } from '../../kernel/texts/fill.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import type { Address } from '../../payments/contacts/contact.ts';
import type { InvoiceTexts } from './invoice-texts.ts';

/** How networks write their names. */
const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** A day as people write it: `21 November 2026`. @param timeZone such as `Europe/Berlin` */
export function describeDay(time: Date, language: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeZone,
  }).format(time);
}

/** Two days, or the only one. */
export function describeSpan(
  start: Date,
  end: Date,
  { day, span }: { readonly day: (time: Date) => string; readonly span: string },
): string {
  const [from, until] = [day(start), day(end)];
  return from === until ? from : fill(span, { from, until });
}

/** An address in lines; empty if nothing of it is known. */
export function describeAddress(address: Address | null, language: string): readonly string[] {
  if (address === null) return [];
  const { line1, line2, postalCode, city, state, country } = address;
  const place = [postalCode, city].filter(isText).join(' ');
  const land = country === null ? null : countryName(country, language);
  return [line1, line2, place, state, land].filter(isText);
}

/** The card or bank account that paid. */
export function describeMethod(
  method: Charge['method'],
  { methods }: Pick<InvoiceTexts, 'methods'>,
): string {
  if (method.type === 'us_bank_account') {
    return fill(methods.bankAccount, { last4: method.usBankAccount.last4 });
  }
  const { brand, last4 } = method.card;
  return fill(methods.card, { brand: BRANDS[brand] ?? brand, last4 });
}

/** The code, if the runtime has no name for it. */
function countryName(country: string, language: string): string {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' });
  return names.of(country) ?? country;
}

function isText(text: string | null): text is string {
  return text !== null && text !== '';
}
