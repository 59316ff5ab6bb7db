import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import {
  DOCUMENTS,
  listOperations,
  type OpenApi,
  resolved,
  type Schema,
} from '../support/documents.ts';
import { EVENT_FAMILIES, EVENTS } from '../support/event-table.ts';

for (const [name, document] of Object.entries(DOCUMENTS)) {
  describe(`the OpenAPI document of the ${name}`, () => {
    it('is valid OpenAPI 3.1', async () => {
      const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
      expect(errors).to.equal(undefined);
      expect([valid, document.openapi]).to.deep.equal([true, '3.1.0']);
    });

    it('names each operation once, and the parameters in each path', () => {
      let operations = 0;
      for (const [path, item] of Object.entries(document.paths)) {
        for (const { operationId, parameters = [] } of Object.values(item)) {
          operations += 1;
          const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
          const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
          expect(inPath, operationId).to.deep.equal(named);
        }
      }
      expect(listOperations(document).size).to.equal(operations);
    });

    it('has one strict component for each resource, and none for what is only sent out', () => {
      const { schemas } = document.components;
      expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).to.deep.equal([]);
      const resources = Object.values(schemas).filter(
        ({ properties }) => properties?.['object']?.const !== undefined,
      );
      expect(resources.length).to.be.greaterThan(5);
      for (const { additionalProperties } of resources) {
        expect(additionalProperties).to.equal(false);
      }
    });

    it('names the scheme that generated clients use first', () => {
      const first = name === 'dashboard' ? 'session' : 'bearer';
      expect(document.security[0]).to.deep.equal({ [first]: [] });
      expect(Object.keys(document.components.securitySchemes)[0]).to.equal(first);
    });

    it('has one type for each body, JSON unless it has a file, and no body where nothing can be sent', () => {
      for (const { operationId, requestBody } of listOperations(document).values()) {
        if (requestBody === undefined) continue;
        const type = operationId === 'createFile' ? 'multipart/form-data' : 'application/json';
        expect(Object.keys(requestBody.content), operationId).to.deep.equal([type]);
        const schema = requestBody.content[type]?.schema;
        expect(Object.keys(schema ?? {}), operationId).to.deep.equal(['$ref']);
      }
    });

    it('has no default, which would make a parameter required', () => {
      for (const [at, schema] of listSchemas(document))
        expect(schema, at).not.to.have.property('default');
    });

    it('has no list that is longer than a request may have', () => {
      const listOf = (schema: Schema): readonly number[] => [
        ...(schema.maxItems === undefined ? [] : [schema.maxItems]),
        ...Object.values(resolved(document, schema).properties ?? {}).flatMap(listOf),
      ];
      for (const { operationId, requestBody } of listOperations(document).values()) {
        for (const { schema } of Object.values(requestBody?.content ?? {})) {
          for (const maxItems of listOf(schema)) expect(maxItems, operationId).to.be.at.most(100);
        }
      }
    });

    it('writes what may be null as a list of types, unless it has a name', () => {
      for (const [at, { anyOf = [] }] of listSchemas(document)) {
        const plain = anyOf.filter(({ type }) => type !== undefined && type !== 'null');
        const isNullable = anyOf.some(({ type }) => type === 'null');
        expect(isNullable && plain.length === anyOf.length - 1 && plain.length === 1, at).to.equal(
          false,
        );
      }
    });

    it('names each object and each enumeration', () => {
      const named = new Set(Object.values(document.components.schemas));
      for (const [at, schema] of listSchemas(document)) {
        const needsName = schema.properties !== undefined || schema.enum !== undefined;
        expect(needsName && !named.has(schema), at).to.equal(false);
      }
    });

    it('has no two names for one enumeration of the same values', () => {
      const names = new Map<string, string>();
      for (const [component, schema] of Object.entries(document.components.schemas)) {
        if (schema.enum === undefined) continue;
        const property = component.replace(/^.*[a-z](?=[A-Z])/, '');
        const content = `${property} ${JSON.stringify(schema.enum)}`;
        const other = names.get(content);
        expect(other, component).to.equal(undefined);
        names.set(content, component);
      }
    });

    it('lists every status of a refusal, with its schema, and no default', () => {
      for (const { operationId, responses } of listOperations(document).values()) {
        expect(Object.keys(responses), operationId).to.include.members(['400', '401', '403']);
        expect(responses, operationId).not.to.have.property('default');
        for (const [status, answer] of Object.entries(responses)) {
          if (status === '200') continue;
          expect(answer.$ref, operationId).to.match(/^#\/components\/responses\/[A-Z]/);
        }
      }
    });

    it('has deep objects for bounds of `created`', () => {
      const bounded = [...listOperations(document).values()].flatMap(({ parameters = [] }) =>
        parameters.filter((parameter) => parameter.name === 'created'),
      );
      expect(bounded.length).to.be.greaterThan(2);
      for (const { style, explode, schema } of bounded) {
        expect([style, explode]).to.deep.equal(['deepObject', true]);
        expect(schema.$ref).to.equal('#/components/schemas/CreatedFilter');
      }
    });

    it('says that its address is up to the host', () => {
      expect(document.servers).to.deep.equal([
        {
          url: '{mount}',
          description: 'The path where the host mounted it.',
          variables: { mount: { default: 'https://shop.example/payments' } },
        },
      ]);
    });

    it('tells events apart by their type', () => {
      const { discriminator, oneOf } = document.components.schemas['Event'] ?? {};
      expect(discriminator?.propertyName).to.equal('type');
      const mapping = Object.keys(EVENTS).map((type) => {
        const [family = ''] = type.split('.');
        return [type, `#/components/schemas/${EVENT_FAMILIES[family]?.schema}`];
      });
      expect(discriminator?.mapping).to.deep.equal(Object.fromEntries(mapping));
      expect(oneOf).to.have.lengthOf(Object.keys(EVENT_FAMILIES).length);
    });
  });
}

describe('the OpenAPI document of the api', () => {
  const document = DOCUMENTS.api;

  it('has a webhook for every type of the catalogue, with the event', () => {
    const webhooks = Object.entries(document.webhooks ?? {});
    expect(webhooks.map(([name]) => name)).to.deep.equal(Object.keys(EVENTS));
    for (const [, { post }] of webhooks) {
      expect(post?.requestBody?.content['application/json']?.schema).to.deep.equal({
        $ref: '#/components/schemas/Event',
      });
    }
  });

  it('lists these statuses', () => {
    const statuses = (name: string): string =>
      Object.keys(listOperations(document).get(name)?.responses ?? {}).join(' ');
    expect(statuses('createCharge')).to.equal(
      '200 400 401 402 403 408 409 413 415 421 429 431 500 502 503',
    );
    expect(statuses('retrieveCharge')).to.equal('200 400 401 403 404 421 429 431 500 503');
    expect(statuses('listCharges')).to.equal('200 400 401 403 421 429 431 500 503');
    expect(statuses('deleteWebhookEndpoint')).to.equal(
      '200 400 401 403 404 408 409 413 415 421 429 431 500 503',
    );
  });

  it('has these limits on a charge', () => {
    const { schemas } = document.components;
    expect(schemas['ChargeCreate']?.properties?.['amount']).to.include({
      minimum: 1,
      maximum: 99_999_999,
    });
    expect(schemas['ChargeCreate']?.properties?.['description']).to.include({ maxLength: 1000 });
    expect(schemas['ChargeCreate']?.required).to.deep.equal(['amount', 'currency']);
    expect(schemas['MetadataInput']).to.deep.include({
      maxProperties: 50,
      propertyNames: { minLength: 1, maxLength: 40 },
      additionalProperties: { type: 'string', maxLength: 500 },
    });
  });
});

/** Every schema of a document, with its place. */
function listSchemas(document: OpenApi): readonly (readonly [string, Schema])[] {
  const found: [string, Schema][] = [];
  const walk = (at: string, schema: Schema): void => {
    found.push([at, schema]);
    const { anyOf = [], oneOf = [], items, properties = {}, additionalProperties } = schema;
    for (const option of [...anyOf, ...oneOf]) walk(at, option);
    if (items !== undefined) walk(`${at}[]`, items);
    for (const [name, member] of Object.entries(properties)) walk(`${at}.${name}`, member);
    if (typeof additionalProperties === 'object') walk(`${at}.*`, additionalProperties);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(name, schema);
  for (const { operationId, parameters = [], requestBody } of listOperations(document).values()) {
    for (const { name, schema } of parameters) walk(`${operationId} ${name}`, schema);
    for (const { schema } of Object.values(requestBody?.content ?? {})) walk(operationId, schema);
  }
  return found;
}
