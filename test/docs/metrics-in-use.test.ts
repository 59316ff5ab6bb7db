import { readFileSync } from 'node:fs';
import { METRICS } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ROOT } from '../support/read-pages.ts';

/** Labels that Prometheus itself adds. */
const SCRAPED = ['job', 'instance', 'le'];

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const metrics = new Map<string, (typeof METRICS)[number]>(
  METRICS.map((metric) => [metric.name, metric]),
);

/** What a query names that does not exist. */
function unknownIn(query: string): readonly string[] {
  const named = [...query.matchAll(/paymount_\w+/g)].map(([name]) => name);
  const found = named.map((name) => {
    const histogram = metrics.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    return histogram?.kind === 'histogram' ? histogram : metrics.get(name);
  });
  const labels = new Set<string>([...SCRAPED, ...found.flatMap((metric) => metric?.labels ?? [])]);
  const used = [
    ...[...query.matchAll(/(\w+)(?:=|=~|!=|!~)"/g)].map(([, label = '']) => label),
    ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ...[...query.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  ];
  return [
    ...named.filter((_, nth) => found[nth] === undefined),
    ...used.filter((label) => !labels.has(label)),
  ];
}

function read(page: string): string {
  return readFileSync(`${ROOT}docs/how-to/${page}`, 'utf8');
}

describe('metrics that the docs use', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
  const queries = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({ title, query: `${expr} ${legendFormat}` })),
  );

  it('exist in every query of the dashboard', () => {
    expect(queries.length).to.be.above(20);
    const unknown = queries.flatMap(({ title, query }) =>
      unknownIn(query).map((name) => `${title}: ${name}`),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('exist in every alert', () => {
    const alerts = read('monitor.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(alerts.length).to.be.above(5);
    expect(alerts.flatMap(unknownIn)).to.deep.equal([]);
  });

  it('are all on the dashboard, but for details of the review', () => {
    const shown = (name: string) => queries.some(({ query }) => query.includes(name));
    expect(METRICS.map(({ name }) => name).filter((name) => !shown(name))).to.deep.equal([
      'paymount_operations_hook_waits',
      'paymount_operations_under_review_oldest_seconds',
    ]);
  });

  it('are told from names and labels that do not exist', () => {
    expect(unknownIn('rate(paymount_delivery_attempts_total{result="failed"}[5m])')).to.deep.equal([
      'result',
    ]);
    expect(unknownIn('sum by (lane) (paymount_delivery_total)')).to.deep.equal([
      'paymount_delivery_total',
      'lane',
    ]);
    expect(unknownIn('paymount_endpoints_bucket')).to.deep.equal(['paymount_endpoints_bucket']);
  });
});
