/** Every form in which a secret may hide in a text. */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return [
    secret,
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
}

/** Base64 of a text that holds the secret at an offset: the part that does not depend on the rest. */
function base64At(bytes: Buffer, offset: number): readonly string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const whole = padded.toString('base64').replaceAll('=', '');
  const inner = whole.slice(offset === 0 ? 0 : offset + 1, whole.length - 2);
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}

/**
 * Seeks canaries in a text.
 * @param canaries by what they are
 * @returns what was found, never the secret itself
 */
export function seek(text: string, canaries: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = [];
  for (const [name, secret] of canaries) {
    const form = encodedForms(secret).findIndex((candidate) => text.includes(candidate));
    if (form >= 0) found.push(`${name}, in form ${form}, after ${before(text, secret, form)}`);
  }
  return found;
}

function before(text: string, secret: string, form: number): string {
  const at = text.indexOf(encodedForms(secret)[form] ?? '');
  return JSON.stringify(text.slice(Math.max(0, at - 60), at));
}
