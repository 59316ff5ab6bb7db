import { useParams } from '@tanstack/react-router';

/** What the path of the address names. */
interface NamedByPath {
  readonly account?: string;
  readonly environment?: string;
  readonly id?: string;
}

/** The account, the environment and the object that the path names. */
export function usePath(): NamedByPath {
  return useParams({ strict: false }) as NamedByPath;
}

/** The id of the object that the path names. */
export function useId(): string {
  return usePath().id ?? '';
}
