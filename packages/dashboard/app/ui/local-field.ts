/** The value of a `datetime-local` field for a time. */
export function toLocalField(at: string | null | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** While a year is typed, the field holds years such as 0002. */
const MEANT = /^(19[7-9]\d|[2-9]\d{3})-/;

/**
 * The time that a `datetime-local` field holds; undefined if it is empty, no time, or not in the
 * years from 1970 to 9999.
 */
export function fromLocalField(text: string): string | undefined {
  const date = new Date(text);
  if (!MEANT.test(text) || Number.isNaN(date.getTime())) return undefined;
  return date.toISOString();
}
