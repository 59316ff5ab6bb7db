import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../api/place.ts';
import { RefusedError } from '../api/problems.ts';
import { useSession } from '../api/session.ts';
import { useObject } from '../api/use-object.ts';
import { useId } from '../use-path.ts';
import { ErrorMessage } from './error-message.tsx';
import { Page } from './page.tsx';

interface ObjectPageProps<Item> {
  /** The title while the object is not there yet. */
  readonly title: string;
  readonly parent: { readonly page: string; readonly label: string };
  /** Of the list at the server. @defaultValue that of the page */
  readonly path?: string;
  /** How long until it is read again. @defaultValue not at all */
  readonly every?: (item: Item | undefined) => number | false;
  readonly children: (item: Item) => ReactNode;
}

/** After these answers an object is not shown any more: it is gone, or not for this user. */
const ENDING: readonly number[] = [403, 404];

/** The page of the object that the address names: while it loads, when it is there, and when it is not. */
export function ObjectPage<Item>(props: ObjectPageProps<Item>) {
  const { title, parent, path = parent.page, every = false, children } = props;
  const id = useId();
  const found = useObject<Item>(`${path}/${id}`, {}, { every });
  const { data, error } = found;
  const retry = () => void found.refetch();
  const status = error instanceof RefusedError ? error.status : undefined;
  if (data !== undefined && !(status !== undefined && ENDING.includes(status))) {
    return (
      <>
        <ErrorMessage error={error} retry={retry} />
        {children(data)}
      </>
    );
  }
  return (
    <Page title={title} parent={parent}>
      {error === null && (
        <Stack role="status" aria-label={`Loading ${id}`}>
          <Skeleton h={24} w="60%" />
          <Skeleton h={160} />
        </Stack>
      )}
      <ErrorMessage error={error} retry={retry} />
      {status === 404 && <OtherEnvironment page={`${parent.page}/${id}`} />}
    </Page>
  );
}

/** The id of an object does not say its environment: it may be in the other one. */
function OtherEnvironment({ page }: { page: string }) {
  const { account, environment } = usePlace();
  const { data: session } = useSession();
  const other = session?.environments.find((each) => each !== environment);
  if (other === undefined) return null;
  return (
    <Anchor component={Link} to={`/${account.id}/${other}/${page}`} mt="md" display="inline-block">
      Look for it in {other}
    </Anchor>
  );
}
