import { isLoopback } from '@paymount/core/access';
import type { Environment } from '@paymount/core/kernel';

/**
 * The public URL of a mount: https without query, fragment and trailing slash. In test, http too with a
 * loopback address.
 * @param option that has it
 * @throws Error for any other value
 */
export function requirePublicUrl(
  url: string | undefined,
  environment: Environment,
  option: string,
): string {
  const text = url ?? '';
  if (URL.canParse(text)) {
    const { protocol, href, hostname } = new URL(text);
    const isLocal = protocol === 'http:' && isLoopback(hostname) && environment === 'test';
    const isWeb = protocol === 'https:' || isLocal;
    const isPlain = !/[?#]/.test(text) && !text.endsWith('/');
    if (isWeb && isPlain && (href === text || href === `${text}/`)) return text;
  }
  throw new Error(
    `\`${option}\` is the public URL of the mount without a slash at its end, such as https://pay.example.com; it uses https, or in test http with a loopback address.`,
  );
}
