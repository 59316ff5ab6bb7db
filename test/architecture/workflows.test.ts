import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { OLDEST_POSTGRESQL } from '../../packages/storage-postgres/src/connection/assert-server.ts';
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
  /** The versions that `.ci/run` runs on, by the name that the matrix gives them. */
  const readVersions = (name: string): readonly string[] =>
    jobs
      .filter(({ steps }) => steps.some(({ run }) => run === '.ci/run'))
      .flatMap(({ strategy }) => strategy?.matrix[name] ?? []);

  it('run everything on the oldest Node of `engines`, and on every later even major', () => {
    const { engines } = JSON.parse(read('package.json'));
    expect(engines.node).to.equal('^20.19.0 || >=22.12.0');
    expect(readVersions('node')).to.deep.equal(['20.19', '22', '24', '26']);
  });

  it('run everything on the oldest PostgreSQL that Paymount starts with, and on every later one', () => {
    expect(OLDEST_POSTGRESQL).to.equal(14);
    expect(readVersions('postgresql')).to.deep.equal(['14', '15', '16', '17', '18']);
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
