import { errorsPage } from './errors-page.ts';
import { httpApiPage } from './http-api-page.ts';

/** The pages that are made from code; each is a pure function of it. */
export const pages: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: 'docs/reference/errors.md', make: errorsPage },
  { file: 'docs/reference/http-api.md', make: httpApiPage },
];
