import { expect } from 'chai';
import { ask } from '../../support/ask.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

type Json = Record<string, unknown>;

describe('GET /v1/openapi.json', () => {
  let mounted: MountedApi;
  let document: Json;
  before(async () => {
    mounted = await mountApi();
    const reply = await ask(`${mounted.url}/v1/openapi.json`, { key: '' });
    expect(reply.status).to.equal(200);
    document = reply.json;
  });
  after(() => mounted.close());

  it('is OpenAPI 3.1, the same each time, also for HEAD', async () => {
    expect(document['openapi']).to.equal('3.1.0');
    const again = await ask(`${mounted.url}/v1/openapi.json`);
    expect(again.json).to.deep.equal(document);
    const head = await ask(`${mounted.url}/v1/openapi.json`, { method: 'HEAD', key: '' });
    expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(again.text)));
  });

  it('has every route of the table and no other', () => {
    const paths = document['paths'] as Record<string, Json>;
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = mounted.api.routes.map(
      ({ method, pattern }) => `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(described.sort()).to.deep.equal(routes.sort());
  });

  it('resolves each of its references', () => {
    const references = JSON.stringify(document).match(/"\$ref":"([^"]+)"/g) ?? [];
    expect(references.length).to.be.greaterThan(20);
    for (const text of new Set(references)) {
      const reference = text.slice('"$ref":"#/'.length, -1);
      const target = reference
        .split('/')
        .reduce<unknown>((node, name) => (node as Json | undefined)?.[name], document);
      expect(target, reference).to.be.an('object');
    }
  });

  it('has one component for each resource, strict, with every field', () => {
    const { schemas } = document['components'] as { schemas: Record<string, Json> };
    expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).to.deep.equal([]);
    expect(schemas['Charge']).to.include({ type: 'object', additionalProperties: false });
    expect(Object.keys(schemas['Charge']?.['properties'] as Json)).to.include.members([
      'id',
      'amount_captured',
      'payment_method_details',
    ]);
  });

  it('names each operation once, and the parameters in each path', () => {
    const paths = document['paths'] as Record<string, Record<string, Json>>;
    const names = new Set<unknown>();
    for (const [path, item] of Object.entries(paths)) {
      for (const operation of Object.values(item)) {
        expect(names.has(operation['operationId']), String(operation['operationId'])).to.equal(
          false,
        );
        names.add(operation['operationId']);
        const parameters = (operation['parameters'] ?? []) as { in: string; name: string }[];
        const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(inPath, path).to.deep.equal(named);
      }
    }
  });
});
