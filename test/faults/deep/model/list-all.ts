import type { Merchant } from '../setup.ts';

export type Row = Readonly<Record<string, unknown>>;

/** All objects of a list, newest first. @param more further parameters, such as `&test_clock=clock_1` */
export async function listAll(
  merchant: Pick<Merchant, 'get'>,
  name: string,
  more = '',
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = rows.at(-1);
    const after = last === undefined ? '' : `&starting_after=${last['id']}`;
    const { status, json, text } = await merchant.get(`${name}?limit=100${more}${after}`);
    if (status !== 200) throw new Error(`A list was answered ${text}`);
    rows.push(...(json['data'] as readonly Row[]));
    hasMore = json['has_more'] === true;
  }
  return rows;
}
