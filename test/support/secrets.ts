/** What must never be printed, stored in the clear or answered twice: kind, and its form. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  'API key': /\b[sr]k_(?:live|test)_[0-9A-Za-z]{38,46}(?![0-9A-Za-z])/,
  'OAuth credential': /\b(?:oat|ort|oac|ocs)_[0-9A-Za-z]{38,46}(?![0-9A-Za-z])/,
  'signing secret': /\bwhsec_[0-9A-Za-z+/]{43}=/,
  'card number':
    /(?<!\d)(?:4242424242424242|4000056655665556|40000[0-9]{11}|5555555555554444|378282246310005)(?!\d)/,
};

/** @returns the kind of each secret found, with its first eight characters; empty is good */
export function secretsIn(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([kind, form]) => {
    const found = form.exec(text);
    return found ? [`${kind} ${found[0].slice(0, 8)}...`] : [];
  });
}
