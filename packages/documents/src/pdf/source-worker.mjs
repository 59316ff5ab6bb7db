// Starts the thread from the sources, in this repository alone: a thread does not inherit what compiles
// TypeScript.
import { register } from 'tsx/esm/api';

register();
await import('./pdf-worker.ts');
