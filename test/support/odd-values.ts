/** What JavaScript lets a host's code throw, although it is no usual error. */
export const ODD_VALUES: readonly (readonly [what: string, value: unknown])[] = [
  ['an object without a prototype', Object.create(null)],
  ['an error whose message is no text', Object.assign(new Error('no'), { message: { a: 1 } })],
  ['an object that refuses to be text', { toString: 7, message: 7 }],
];
