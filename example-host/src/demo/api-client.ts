const ANSWER_LIMIT_MS = 30_000;

/** One answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls the API as any client would, with the key as user name. */
export async function callApi(
  mount: { readonly baseUrl: string },
  key: string,
  path: string,
  fields?: Readonly<Record<string, string>>,
): Promise<ApiAnswer> {
  const response = await fetch(mount.baseUrl + path, {
    headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
  });
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error(`${path} answered no object.`);
  return { status: response.status, body: { ...body } };
}

/** The same, for calls that must succeed. @throws Error with what the API said instead */
export async function callApiOk(...call: Parameters<typeof callApi>): Promise<ApiAnswer['body']> {
  const { status, body } = await callApi(...call);
  if (status === 200) return body;
  throw new Error(`${call[2]} answered ${status}: ${JSON.stringify(body)}`);
}

/** A field of an answer that must be text. */
export function textOf(body: ApiAnswer['body'], name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`The answer lacks ${name}.`);
  return value;
}
