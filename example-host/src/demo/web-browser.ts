/** A page, as a browser shows it after all redirects. */
export interface WebPage {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

const MAX_REDIRECTS = 10;

/** As much of a browser as a login needs: cookies of this machine, redirects and forms. */
export class WebBrowser {
  readonly #cookies = new Map<string, string>();

  open(url: string): Promise<WebPage> {
    return this.#load(url);
  }

  /** Fills in the form of a page, and sends it. */
  submit({ url, text }: WebPage, fields: Fields): Promise<WebPage> {
    const form = new URLSearchParams();
    const hidden = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    for (const [, name = '', value = ''] of hidden) form.append(name, value);
    for (const [name, value] of Object.entries(fields)) {
      for (const each of typeof value === 'string' ? [value] : value) form.append(name, each);
    }
    const action = /<form [^>]*action="([^"]+)"/.exec(text)?.[1] ?? url;
    return this.#load(new URL(action, url).href, form);
  }

  async #load(url: string, form?: URLSearchParams, redirects = 0): Promise<WebPage> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const [name = '', value = ''] = pair.split('=', 2);
      this.#cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return { url, status: response.status, text: await response.text() };
    if (redirects === MAX_REDIRECTS) throw new Error(`${url} redirects too often.`);
    return this.#load(new URL(location, url).href, undefined, redirects + 1);
  }
}
