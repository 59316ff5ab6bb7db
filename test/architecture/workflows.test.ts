import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { OLDEST_POSTGRESQL } from '../../packages/storage-postgres/src/connection/assert-server.ts';
import { PARTS } from '../nightly/all-parts.ts';
import { ROOT } from '../support/planted-tree.ts';

interface Job {
  readonly permissions?: unknown;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const yamlIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${folder}/${name}`);

describe('the workflows', () => {
  const files = yamlIn('.github/workflows');
  const workflows = files.map((file): Workflow => parse(read(file)));
  const jobs = workflows.flatMap((workflow) => Object.values(workflow.jobs));
  /** What the matrices of the jobs that run this give a name. */
  const readMatrix = (command: string, name: string): readonly string[] => {
    const found = jobs
      .filter(({ steps }) => steps.some(({ run }) => run === command))
      .flatMap(({ strategy }) => strategy?.matrix[name] ?? []);
    return [...new Set(found)];
  };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of the workflow.
  const NIGHTLY = '.ci/run nightly ${{ matrix.part }}';

  it('run on the oldest Node of `engines`, and on every later even major', () => {
    const { engines } = JSON.parse(read('package.json'));
    expect(engines.node).to.equal('^20.19.0 || >=22.12.0');
    expect(readMatrix('.ci/run', 'node')).to.deep.equal(['20.19']);
    expect(readMatrix('.ci/run smoke', 'node')).to.deep.equal(['22', '24', '26']);
    expect(readMatrix(NIGHTLY, 'node')).to.deep.equal(['20.19', '22', '24', '26']);
  });

  it('run on the oldest PostgreSQL that Paymount starts with, and on every later one', () => {
    expect(OLDEST_POSTGRESQL).to.equal(14);
    const all = ['14', '15', '16', '17', '18'];
    expect(readMatrix('.ci/run smoke', 'postgresql')).to.deep.equal(all);
    expect(readMatrix(NIGHTLY, 'postgresql')).to.deep.equal(all);
  });

  it('run every part of the nightly run each night', () => {
    expect([...readMatrix(NIGHTLY, 'part')].sort()).to.deep.equal(
      PARTS.map(({ name }) => name).sort(),
    );
  });

  it('may read the repository and nothing else', () => {
    for (const { permissions } of workflows) {
      expect(permissions).to.deep.equal({ contents: 'read' });
    }
    expect(jobs.filter(({ permissions }) => permissions !== undefined)).to.deep.equal([]);
  });

  it('pin each action to a commit, and end every job by a time limit', () => {
    const used = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used).to.not.have.length(0);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40}$/.test(action))).to.deep.equal([]);
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).to.deep.equal([]);
  });

  it('cancel the run that a newer push of the same branch replaces', () => {
    expect(workflows.filter(({ concurrency }) => concurrency === undefined)).to.deep.equal([]);
  });

  it('come with issue templates that parse, too', () => {
    for (const file of yamlIn('.github/ISSUE_TEMPLATE')) {
      expect(parse(read(file)), file).to.be.an('object');
    }
  });
});
