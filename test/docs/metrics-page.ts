import { METRICS } from '@paymount/core/kernel';
import { HEALTH_CHECKS } from '@paymount/management';

/** `docs/reference/metrics.md`: every metric and every problem of the health. */
export function metricsPage(): string {
  return `${INTRODUCTION}
${metricsTable('process')}
${INSTALLATION}
${metricsTable('installation')}
${HEALTH}
${problemsTable()}`;
}

function metricsTable(scope: (typeof METRICS)[number]['scope']): string {
  const rows = METRICS.filter((metric) => metric.scope === scope).map(
    ({ name, kind, labels, help }) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `${['| Metric | Kind | Labels | |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}

function problemsTable(): string {
  const rows = HEALTH_CHECKS.map(({ code, message }) => `| \`${code}\` | ${message} |`);
  return `${['| Code | Message |', '|---|---|', ...rows].join('\n')}\n`;
}

const INTRODUCTION = `<!-- Generated from the table of metrics by \`npm run docs\`; do not edit. -->
# Metrics and health

[Monitor](../how-to/monitor.md) describes how to read them. All times are in seconds. No label names an account, an
endpoint or a key. If a value is unknown, for example because the database cannot be reached, the metric is omitted.

OpenTelemetry gets the same metrics under the same names.

## Metrics of a process

Each process reports its own values. Sum counters over processes.
`;

const INSTALLATION = `## Metrics of the installation

These come from the database, so every process reports the same values. Use the maximum over processes.
`;

const HEALTH = `## Problems

\`problems\` of [\`GET /health\`](management-api.md#get-health), of \`paymount.health()\` and of the
[probes](../how-to/monitor.md#probes) have these codes.
`;
