/** Headers that are secrets, or prove one; lower case. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'service-signature',
  'set-cookie',
  'stripe-signature',
  'webhook-signature',
  'x-api-key',
]);

/** Whether the value of a header must not be logged or stored, whatever it is. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name.toLowerCase());
}
