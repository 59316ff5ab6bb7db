import { ask, FORM, type Reply } from './ask.ts';

/** The cookies of one browser, which follows no redirect by itself. */
export interface Browser {
  /** A navigation to a path or address of the host. */
  open(address: string): Promise<Reply>;
  /** Sends a form of a page of the host. A list is sent as several fields of one name. */
  submit(
    address: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Keeps another cookie: `name=value`. */
  keep(cookie: string): void;
  readonly cookies: ReadonlyMap<string, string>;
}

/** A browser with no cookies. @param base of the host, where relative addresses lead */
export function newBrowser(base: string): Browser {
  const cookies = new Map<string, string>();
  const keep: Browser['keep'] = (cookie) => {
    const [name = '', value = ''] = cookie.split('=', 2);
    cookies.set(name, value);
  };
  const send = async (address: string, more: Parameters<typeof ask>[1]): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...more?.headers, ...(cookie === '' ? {} : { cookie }) };
    const reply = await ask(new URL(address, base).href, { ...more, key: '', headers });
    for (const set of reply.headers['set-cookie'] ?? []) keep(set.slice(0, set.indexOf(';')));
    return reply;
  };
  return {
    cookies,
    keep,
    open: (address) => send(address, {}),
    submit(address, fields, headers = {}) {
      const form = new URLSearchParams();
      for (const [name, value] of Object.entries(fields)) {
        for (const each of typeof value === 'string' ? [value] : value) form.append(name, each);
      }
      // As Chromium sends it from a page without a referrer.
      const sent = { ...FORM, origin: 'null', 'sec-fetch-site': 'same-origin', ...headers };
      return send(address, { method: 'POST', headers: sent, body: form.toString() });
    },
  };
}
