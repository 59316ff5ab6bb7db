import { expect } from 'chai';
import { DOCUMENTS, type OpenApi } from '../support/documents.ts';
import type { ManagementRoute, V1Route } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES, V1_ROUTES } from '../support/route-table.ts';
import { SERVED } from '../support/served-routes.ts';

/** What is compared of a route: what callers and generated clients depend on. */
type Compared = Readonly<Record<string, unknown>>;

/** `/v1/charges/:id` as a document writes it. */
const toName = ({ method, pattern }: { method: string; pattern: string }): string =>
  `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`;

function byName<Route extends { readonly name: string }>(
  routes: readonly Route[],
  compared: (route: Route) => Compared,
): Readonly<Record<string, Compared>> {
  return Object.fromEntries(routes.map((route) => [route.name, compared(route)]));
}

describe('the table of routes of the tests', () => {
  it('has exactly the routes of the router of /v1, with what each demands', () => {
    const served = SERVED.api.map(({ facts, ...route }) => [
      toName(route),
      {
        operation: facts.operationId,
        needs: facts.scope,
        publishable: facts.publishable ?? false,
        testOnly: facts.testOnly ?? false,
      },
    ]);
    const known = byName(V1_ROUTES, ({ operation, needs, publishable, testOnly }) => ({
      operation,
      needs,
      publishable: publishable ?? false,
      testOnly: testOnly ?? false,
    }));
    expect(Object.fromEntries(served)).to.deep.equal(known);
  });

  it('has exactly the routes of the router of the management API, with what each demands', () => {
    const served = SERVED.management.map(({ facts, ...route }) => [
      toName(route),
      {
        operation: facts.operationId,
        needs: facts.permission,
        freshLogin: facts.freshLogin ?? false,
        tokenOnce: facts.destructive ?? false,
      },
    ]);
    const known = byName(MANAGEMENT_ROUTES, ({ operation, needs, freshLogin, tokenOnce }) => ({
      operation,
      needs,
      freshLogin: freshLogin ?? false,
      tokenOnce: tokenOnce ?? false,
    }));
    expect(Object.fromEntries(served)).to.deep.equal(known);
  });

  it('has exactly the operations of the documents, which say what each demands', () => {
    expect(demandsIn(DOCUMENTS.api)).to.deep.equal(byName(V1_ROUTES, toV1Demands));
    expect(demandsIn(DOCUMENTS.management)).to.deep.equal(
      byName(MANAGEMENT_ROUTES, toManagementDemands),
    );
  });

  it('has one row for each route', () => {
    for (const routes of [V1_ROUTES, MANAGEMENT_ROUTES]) {
      const names = routes.map(({ name }) => name);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    }
  });
});

/** The first sentences of each description, up to what only some routes say. */
function demandsIn({ paths }: OpenApi): Readonly<Record<string, Compared>> {
  const all = Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, { operationId: operation, description }]) => {
      const access =
        /^(?:Scope|Permission): `([\w.:]+)`|^(?:Only for secret keys|Any admin)\./.exec(
          description,
        );
      return [
        `${method.toUpperCase()} ${pattern}`,
        {
          operation,
          needs: access?.[1] ?? access?.[0],
          publishable: description.includes('publishable key'),
          testOnly: description.includes('Only in the test environment'),
        },
      ];
    }),
  );
  return Object.fromEntries(all);
}

function toV1Demands({ operation, needs, publishable, testOnly }: V1Route): Compared {
  return {
    operation,
    needs: needs === 'secret_key' ? 'Only for secret keys.' : needs,
    publishable: publishable ?? false,
    testOnly: testOnly ?? false,
  };
}

function toManagementDemands({ operation, needs }: ManagementRoute): Compared {
  const said = needs === 'none' ? 'Any admin.' : needs;
  return { operation, needs: said, publishable: false, testOnly: false };
}
