export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Reference: CRC-32 (IEEE), bit by bit, in base 62 with the alphabet above. */
export function checkCharacters(text: string): string {
  let crc = 0xffffffffn;
  for (const byte of Buffer.from(text)) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ 0xedb88320n : crc >> 1n;
  }
  let rest = crc ^ 0xffffffffn;
  let check = '';
  while (check.length < 6) {
    check = ALPHABET.charAt(Number(rest % 62n)) + check;
    rest /= 62n;
  }
  return check;
}
