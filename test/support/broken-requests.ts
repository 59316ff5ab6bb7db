import { expect } from 'chai';
import { FORM, JSON_TYPE, type Reply } from './ask.ts';
import { breakagesOf, type Encoding, type Parameter, takesOneValue } from './breakages.ts';
import { type BrokenRequest, brokenBodies, brokenForms } from './broken-bodies.ts';
import { type OpenApi, type Operation, resolved, type Schema } from './documents.ts';
import { formText } from './form-text.ts';
import { optionsOf, sampleOf, withValue } from './sample-body.ts';

/** What a route takes. */
interface Taken {
  readonly document: OpenApi;
  readonly schema: Schema;
  /** A body that the route accepts. */
  readonly good: object;
}

interface Fault {
  readonly what: string;
  readonly code: string;
  readonly param: string;
}

const NOTHING: Schema = { type: 'object' };
/** Codes of what is wrong with a card. */
const CARD_CODES: ReadonlySet<string> = new Set(['invalid_expiry_month', 'invalid_expiry_year']);
const NO_NAMES = ['no_such_parameter', '__proto__', 'constructor', 'prototype'];

/** Requests that have one fault each, of every kind that the parameters of a route allow. */
export function brokenRequests(
  document: OpenApi,
  { requestBody }: Operation,
  good: object,
): readonly BrokenRequest[] {
  const schema = requestBody?.content['application/json']?.schema ?? NOTHING;
  const takesFile = requestBody?.content['multipart/form-data'] !== undefined;
  const taken = { document, schema, good };
  const parameters = parametersIn(document, schema, []);
  return [
    ...(['json', 'form'] as const).flatMap((encoding) => [
      ...parameters.flatMap((parameter) => brokenParameter(taken, parameter, encoding)),
      ...[{ path: [], schema }, ...parameters].flatMap((parameter) =>
        missing(taken, parameter, encoding),
      ),
      ...brokenNames(taken, encoding),
    ]),
    ...parameters.flatMap((parameter) => sentTwice(taken, parameter)),
    ...brokenBodies(good, takesFile),
    ...brokenForms(),
  ];
}

/**
 * Queries of a route that have one fault each. @param good those that the route needs
 */
export function brokenQueries(
  document: OpenApi,
  { parameters = [] }: Operation,
  good: object,
): readonly BrokenRequest[] {
  const queried = parameters.filter((each) => each.in === 'query');
  const properties = Object.fromEntries(queried.map(({ name, schema }) => [name, schema]));
  const taken = { document, good, schema: { type: 'object', properties } };
  const all = parametersIn(document, taken.schema, []);
  return [
    ...all.flatMap((parameter) => brokenParameter(taken, parameter, 'form')),
    ...brokenNames(taken, 'form'),
    ...all.flatMap((parameter) => sentTwice(taken, parameter)),
    ...brokenForms(),
    ...('limit' in properties ? brokenPages(good) : []),
  ];
}

/** Every parameter, those within others too. */
function parametersIn(
  document: OpenApi,
  schema: Schema,
  path: readonly string[],
): readonly Parameter[] {
  const { properties = {}, anyOf = [], items } = resolved(document, schema);
  const item = items && { path: [...path, '0'], schema: items };
  return [
    ...Object.entries(properties).flatMap(([name, member]) => {
      // These name fields of objects, and have tests of their own.
      if (name === 'expand' || name === 'overrides') return [];
      const at = { path: [...path, name], schema: member };
      return [at, ...parametersIn(document, member, at.path)];
    }),
    ...anyOf.flatMap((option) => parametersIn(document, option, path)),
    ...(item === undefined ? [] : [item, ...parametersIn(document, item.schema, item.path)]),
  ];
}

function brokenParameter(
  taken: Taken,
  parameter: Parameter,
  encoding: Encoding,
): readonly BrokenRequest[] {
  return breakagesOf(taken.document, parameter, encoding).map((breakage) => {
    const { path, value, code, at } = breakage;
    const what = `${toParam(path)}: ${breakage.what}`;
    return asSent(encoding, withValue(taken, path, value), { what, code, param: toParam(at) });
  });
}

/** Without one of the members that an object must have. */
function missing(
  taken: Taken,
  { path, schema }: Parameter,
  encoding: Encoding,
): readonly BrokenRequest[] {
  const { document, good } = taken;
  return optionsOf(document, schema).flatMap(({ required = [], properties = {} }) =>
    required.flatMap((name) => {
      const others = required.filter((each) => each !== name);
      const sample = Object.fromEntries(
        others.map((each) => [each, sampleOf(document, properties[each] ?? {}, each)]),
      );
      const { [name]: _, ...rest } = good as Record<string, unknown>;
      const body = path.length === 0 ? rest : withValue(taken, path, sample);
      // A form has no empty object.
      if (encoding === 'form' && path.length > 0 && formText(sample) === '') return [];
      const param = toParam([...path, name]);
      return [asSent(encoding, body, { what: `no ${param}`, code: 'parameter_missing', param })];
    }),
  );
}

/** Names that no route takes, and too many levels of them. */
function brokenNames({ good }: Taken, encoding: Encoding): readonly BrokenRequest[] {
  const deep = `{"deep":${'{"a":'.repeat(8)}"x"${'}'.repeat(9)}`;
  const param = `deep${'[a]'.repeat(8)}`;
  return [
    ...NO_NAMES.map((name) =>
      asSent(
        encoding,
        { ...good, ...JSON.parse(`{"${name}":"x"}`) },
        { what: name, code: 'parameter_unknown', param: name },
      ),
    ),
    asSent(
      encoding,
      { ...good, ...JSON.parse(deep) },
      { what: 'nine levels', code: 'parameter_invalid', param },
    ),
  ];
}

/** A form in which a single value stands twice. */
function sentTwice(
  { document, good }: Taken,
  { path, schema }: Parameter,
): readonly BrokenRequest[] {
  if (!takesOneValue(document, schema) || path.includes('0')) return [];
  const param = toParam(path);
  const pair = `${param}=${String(sampleOf(document, schema, path.at(-1) ?? ''))}`;
  const { [path[0] ?? '']: _, ...others } = good as Record<string, unknown>;
  const body = [formText(others), pair, pair].filter(Boolean).join('&');
  const fault = { what: `${param} twice`, code: 'parameter_duplicate', param };
  return [{ ...fault, headers: FORM, body, status: 400 }];
}

/** Places in a list that are none. */
function brokenPages(good: object): readonly BrokenRequest[] {
  const start = { starting_after: 'nowhere' };
  const end = { ending_before: 'nowhere' };
  const at = 'ending_before';
  return [
    { what: 'no place', code: 'invalid_cursor', param: 'starting_after', sent: start },
    { what: 'no place', code: 'invalid_cursor', param: at, sent: end },
    { what: 'two places', code: 'parameters_exclusive', param: at, sent: { ...start, ...end } },
  ].map(({ sent, ...fault }) => asSent('form', { ...good, ...sent }, fault));
}

function asSent(encoding: Encoding, body: object, fault: Fault): BrokenRequest {
  const isJson = encoding === 'json';
  return {
    ...fault,
    what: `${fault.what}, in ${isJson ? 'JSON' : 'a form'}`,
    status: CARD_CODES.has(fault.code) ? 402 : 400,
    headers: isJson ? JSON_TYPE : FORM,
    body: isJson ? JSON.stringify(body) : formText(body),
  };
}

/** Judges an answer to a broken request. */
export function expectRefused(
  { status, error, text }: Reply,
  { what, param, ...expected }: Pick<BrokenRequest, 'what' | 'status' | 'code' | 'param'>,
): void {
  const found = { status, type: error['type'], code: error['code'], param: error['param'] };
  expect(found, `${what}: ${text}`).to.deep.equal({
    status: expected.status,
    code: expected.code,
    param,
    type: expected.status === 402 ? 'card_error' : 'invalid_request_error',
  });
}

/** `card[exp_month]`; what is no character is shown as such. */
function toParam([name = '', ...rest]: readonly string[]): string {
  return (name + rest.map((each) => `[${each}]`).join('')).replaceAll('\0', '\ufffd');
}
