import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson, type Reply } from '../support/ask.ts';
import { DOCUMENTS, type Operation, resolved, type Schema } from '../support/documents.ts';
import { routeNamed, UNKNOWN_IDS } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';

const document = DOCUMENTS.api;

const BANK = { account_number: '000123456789', routing_number: '110000000' };
/** Bodies that are good but for one member of a bank account, by the name of that. */
const BANK_BODIES: Readonly<Record<string, object>> = {
  us_bank_account: {
    type: 'us_bank_account',
    us_bank_account: { ...BANK, account_type: 'checking', account_holder_type: 'individual' },
  },
  bank_account: { bank_account: { ...BANK, country: 'US', currency: 'usd' } },
};
/** Bodies of a price that are good but for one member of these, by the name of that. */
const PRICE = { currency: 'eur', unit_amount: 1 };
const PRICE_BODIES: Readonly<Record<string, object>> = {
  product_data: { ...PRICE, product_data: { name: 'A' } },
  recurring: { ...PRICE, product: 'prod_x', recurring: { interval: 'day' } },
};
const SHIPPING = { name: 'A', address: {} };

/** A value that breaks a limit of the document, and the parameter that the refusal names. */
interface Broken {
  readonly route: string;
  readonly body: object;
  readonly param: string;
  readonly limit: string;
}

describe('a limit of the OpenAPI document', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  /** An account of somebody else is refused before its body is read to the end. */
  const toPath = (route: string): string =>
    route.replace('{id}', route.startsWith('/v1/accounts/') ? app.account : 'x');

  const send = (route: string, body: object): Promise<Reply> =>
    postJson(app.url + toPath(route), body, { key: app.secretKey });

  it('is kept by the routes: what is beyond it is refused by name', async function () {
    this.timeout(60_000);
    const broken = brokenBodies('beyond');
    expect(broken.length).to.be.greaterThan(60);
    for (const { route, body, param, limit } of broken) {
      const { status, error } = await send(route, body);
      const what = `${route} ${param} beyond ${limit}: ${JSON.stringify(error)}`;
      expect([400, 402], what).to.include(status);
      expect(error['param'], what).to.equal(param);
    }
  });

  it('is inclusive: a value equal to it is accepted', async function () {
    this.timeout(60_000);
    for (const { route, body, param, limit } of brokenBodies('within')) {
      // These are judged by more than their length.
      if (/email|api_version|exp_year|billing_timezone/.test(param)) continue;
      const { error } = await send(route, body);
      const what = `${route} ${param} within ${limit}: ${JSON.stringify(error)}`;
      expect(error['param'] === param && LIMITED.test(String(error['code'])), what).to.equal(false);
    }
  });
});

/** Codes of values that are beyond a limit; an id within it may name nothing all the same. */
const LIMITED = /^(?:parameter_invalid|amount_too_|metadata_limit_|event_type_|invalid_expiry_)/;

type Side = 'beyond' | 'within';

/** For each limit of each body, one that lies on this side of it. */
function brokenBodies(side: Side): readonly Broken[] {
  return Object.entries(document.paths).flatMap(([route, { post }]) => {
    const schema = post?.requestBody?.content['application/json']?.schema;
    return post === undefined || schema === undefined ? [] : brokenIn(route, post, schema, side);
  });
}

function brokenIn(
  route: string,
  { operationId }: Operation,
  schema: Schema,
  side: Side,
): readonly Broken[] {
  const { body } = routeNamed(V1_ROUTES, `POST ${route}`);
  /** Good but for the one parameter in question. */
  const good = body?.(UNKNOWN_IDS, false) ?? {};
  const found: Broken[] = [];
  const visit = (member: Schema, path: readonly string[]): void => {
    const at = resolved(document, member);
    for (const { limit, value, item } of toValues(at, side)) {
      if (isExcepted(operationId, path)) continue;
      const param = toParam(item === undefined ? path : [...path, item]);
      const [part = ''] = path;
      const base = BANK_BODIES[part] ?? PRICE_BODIES[part] ?? withPriceData(good, part);
      found.push({ route, body: withValue(base, path, value), param, limit });
    }
    for (const [name, child] of Object.entries(at.properties ?? {})) visit(child, [...path, name]);
    for (const option of at.anyOf ?? []) visit(option, path);
  };
  for (const [name, member] of Object.entries(resolved(document, schema).properties ?? {})) {
    visit(member, [name]);
  }
  return found;
}

/** Another price in place of the one that is named. */
function withPriceData(good: object, part: string): object {
  if (part !== 'price_data') return good;
  const { price: _, ...rest } = good as { readonly price?: string };
  const recurring = { interval: 'month' };
  return { ...rest, price_data: { ...PRICE, product: 'prod_x', recurring } };
}

/** Metadata is judged with the object that has it; texts of `expand` name fields. */
function isExcepted(operationId: string, path: readonly string[]): boolean {
  if (path[0] === 'metadata')
    return !operationId.startsWith('create') || operationId.endsWith('Refund');
  return path[0] === 'overrides';
}

interface Value {
  readonly limit: string;
  readonly value: unknown;
  /** The item at fault, where it is one of several. */
  readonly item?: string;
}

function toValues(schema: Schema, side: Side): readonly Value[] {
  const beyond = side === 'beyond' ? 1 : 0;
  const { minimum, maximum, minLength, maxLength, maxItems, maxProperties, pattern } = schema;
  const first = schema.items === undefined ? undefined : anItem(resolved(document, schema.items));
  const values: (Value | false)[] = [
    minimum !== undefined && { limit: 'minimum', value: minimum - beyond },
    maximum !== undefined && { limit: 'maximum', value: maximum + beyond },
    minLength !== undefined && { limit: 'minLength', value: 'a'.repeat(minLength - beyond) },
    maxLength !== undefined && { limit: 'maxLength', value: 'a'.repeat(maxLength + beyond) },
    maxItems !== undefined && { limit: 'maxItems', value: Array(maxItems + beyond).fill(first) },
    maxProperties !== undefined && {
      limit: 'maxProperties',
      value: entries(maxProperties + beyond),
    },
    pattern !== undefined && beyond === 1 && { limit: 'pattern', value: '<' },
    schema.enum !== undefined && {
      limit: 'enum',
      value: beyond === 1 ? 'none_of_them' : schema.enum[0],
    },
  ];
  return values.filter((value) => value !== false);
}

function anItem(schema: Schema): unknown {
  return schema.enum?.[0] ?? 'payment_method';
}

function entries(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
}

/** The good body, in which one value is another. */
function withValue(good: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const members = new Map<string, unknown>(Object.entries(good));
  const inner = name === 'shipping' ? SHIPPING : members.get(name);
  const next = typeof inner === 'object' && inner !== null ? inner : {};
  members.set(name, rest.length === 0 ? value : withValue(next, rest, value));
  return Object.fromEntries(members);
}

function toParam([name = '', ...rest]: readonly string[]): string {
  return name + rest.map((each) => `[${each}]`).join('');
}
