/** Markup that may be inserted as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | readonly Html[];

/** Markup from a template; every text in it is escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.map((part, index) => part + toMarkup(values[index] ?? '')).join('');
  return new Html(text);
}

/** The markup if a condition holds, otherwise nothing. */
export function when(condition: boolean, markup: () => Html): Html {
  return condition ? markup() : new Html('');
}

function toMarkup(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escaped(String(value));
}

/** A text for markup. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
