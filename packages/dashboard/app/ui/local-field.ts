/** The value of a `datetime-local` field for a time. */
export function toLocalField(at: string | null | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time that a `datetime-local` field holds; undefined if it is empty. */
export function fromLocalField(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString();
}
