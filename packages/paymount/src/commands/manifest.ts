/** The package.json of `paymount`, which lies beside `src` and `dist` alike. */
export const MANIFEST = new URL('../../package.json', import.meta.url);
