import { register } from 'node:module';

/** Loaded by `--import`: from then on bullmq and ioredis are packages that are not installed. */
const hooks = `export function resolve(name, context, next) {
  const isMissing = name === 'bullmq' || name === 'ioredis';
  return next(isMissing ? \`\${name}-that-is-not-installed\` : name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
