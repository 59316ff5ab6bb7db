import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../support/planted-tree.ts';

/** A mount: `./from:/to`, or the long form; other names are volumes of Docker. */
type Mount = string | { readonly type?: string; readonly source?: string };

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly volumes?: readonly Mount[];
  readonly env_file?: string | readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs?: Readonly<Record<string, { readonly file?: string }>>;
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>;
}

/** Files of the repository that a command in a Dockerfile names. */
const NAMED_IN_RUN = /(?<=^|\s|=)(?:\.\/)?(?:packages|example-host|test|docs)\/[\w./-]*/g;

/** What a Dockerfile reads of its context, the top of the repository. */
function pathsInDockerfile(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [instruction = '', ...words] = line.trim().split(/\s+/);
      if (instruction === 'RUN') return line.match(NAMED_IN_RUN) ?? [];
      if (!/^(?:COPY|ADD)$/.test(instruction) || line.includes('--from=')) return [];
      return words.filter((word) => !word.startsWith('--')).slice(0, -1);
    });
}

/** What a Compose file reads of the repository, relative to the top. */
function pathsInCompose(file: string, text: string): readonly string[] {
  const { services, configs = {}, secrets = {} }: Compose = parse(text, { merge: true });
  const own = Object.values(services).flatMap(({ build, volumes = [], env_file = [] }) => [
    ...(build ? [build.context, join(build.context, build.dockerfile)] : []),
    ...volumes.flatMap((mount) => sourceOf(mount)),
    ...[env_file].flat(),
  ]);
  const shared = [...Object.values(configs), ...Object.values(secrets)];
  const paths = [...own, ...shared.flatMap(({ file: path }) => path ?? [])];
  return paths.map((path) => normalize(join(dirname(file), path)));
}

function sourceOf(mount: Mount): readonly string[] {
  if (typeof mount !== 'string') return mount.type === 'bind' ? [mount.source ?? ''] : [];
  const [source = ''] = mount.split(':');
  return source.startsWith('.') ? [source] : [];
}

const isThere = (path: string): boolean => existsSync(join(ROOT, path));

describe('the containers', () => {
  const files = ['', 'example-host'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) =>
        /^(?:Dockerfile$|Dockerfile\.(?!dockerignore)|compose.*\.ya?ml$)/.test(name),
      )
      .map((name) => join(folder, name)),
  );
  const pathsIn = (file: string): readonly string[] => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return file.includes('Dockerfile') ? pathsInDockerfile(text) : pathsInCompose(file, text);
  };

  it('are made of files that are there', () => {
    expect(files).to.deep.equal(['example-host/Dockerfile', 'example-host/compose.yaml']);
    const paths = [...new Set(files.flatMap(pathsIn))];
    expect(paths).to.deep.equal([
      '.',
      './packages/',
      'example-host/src/server.ts',
      'example-host/Dockerfile',
    ]);
    expect(paths.filter((path) => !isThere(path))).to.deep.equal([]);
  });

  it('are found to copy, run and mount what is not there', () => {
    const dockerfile = `FROM node:24 AS build
COPY --chown=node package.json gone.json ./
RUN npm ci && \\
  node --import=./packages/gone.js docs/README.md
COPY --from=build /app /app
ADD gone /x`;
    expect(pathsInDockerfile(dockerfile).filter((path) => !isThere(path))).to.deep.equal([
      'gone.json',
      './packages/gone.js',
      'gone',
    ]);
    const compose = `x-app: &app
  build: { context: .., dockerfile: gone/Dockerfile }
services:
  api:
    <<: *app
    volumes: [data:/data, "./gone.sql:/x", ./src:/src]
    env_file: gone.env
  other:
    volumes: [{ type: bind, source: ../gone.txt }, { type: volume, source: data }]
secrets:
  key: { file: gone.key }`;
    const missing = pathsInCompose('example-host/compose.yaml', compose).filter(
      (path) => !isThere(path),
    );
    expect(missing).to.deep.equal([
      'gone/Dockerfile',
      'example-host/gone.sql',
      'example-host/gone.env',
      'gone.txt',
      'example-host/gone.key',
    ]);
  });
});
