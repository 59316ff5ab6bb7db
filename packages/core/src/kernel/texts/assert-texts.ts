/**
 * Checks the texts of a host against the English ones: without its placeholders, a page would not
 * say who asks, or what is to be paid.
 * @param path of the texts in the options, such as `appearance.texts.de`
 * @throws TypeError that names the text
 */
export function assertTexts(texts: unknown, english: object, path: string): void {
  if (typeof texts !== 'object' || texts === null) {
    throw new TypeError(`\`${path}\` is an object of texts.`);
  }
  const builtIn = new Map<string, unknown>(Object.entries(english));
  for (const [name, text] of Object.entries(texts)) {
    const model = builtIn.get(name);
    const where = `${path}.${name}`;
    if (model === undefined) {
      throw new TypeError(`\`${where}\` is unknown. Known: ${[...builtIn.keys()].join(', ')}.`);
    }
    if (typeof model === 'object' && model !== null) assertTexts(text, model, where);
    else if (text !== undefined) assertText(text, String(model), where);
  }
}

function assertText(text: unknown, model: string, where: string): void {
  if (typeof text !== 'string' || text.trim() === '') {
    throw new TypeError(`\`${where}\` is a text that is not empty.`);
  }
  const expected = placeholders(model);
  if (placeholders(text) === expected) return;
  throw new TypeError(
    `\`${where}\` must contain ${expected === '' ? 'no placeholder' : expected}, as the English text does.`,
  );
}

/** Those of a text, each once, in alphabetical order. */
function placeholders(text: string): string {
  const found = text.match(/\{\w*\}/g) ?? [];
  return [...new Set(found)].toSorted().join(', ');
}
