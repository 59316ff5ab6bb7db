/**
 * Writes parameters as a form or a query, with brackets for what is nested: `card[number]=4242`.
 * @param prefix the name of the parameter whose members these are
 */
export function formText(parameters: object, prefix = ''): string {
  return Object.entries(parameters)
    .map(([name, value]: [string, unknown]) => {
      const key = prefix === '' ? percent(name) : `${prefix}[${percent(name)}]`;
      if (typeof value === 'object' && value !== null) return formText(value, key);
      return `${key}=${percent(String(value))}`;
    })
    .filter((pair) => pair !== '')
    .join('&');
}

/** Lone surrogates have no UTF-8, so the form then holds bytes that are not UTF-8. */
function percent(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ed%a0%80';
  }
}
