/** A value of the API as people write it: `no_response` is `No response`. */
export function toWords(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
