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

/** The page of the object that the address names: while it loads, when it is there, and when it is not. */
export function ObjectPage<Item>(props: ObjectPageProps<Item>) {
  const { title, parent, path = parent.page, every = false, children } = props;
  const id = useId();
  const found = useObject<Item>(`${path}/${id}`, {}, { every });
  if (found.data !== undefined) return children(found.data);
  const isMissing = found.error instanceof RefusedError && found.error.status === 404;
  return (
    <Page title={title} parent={parent}>
      {found.error === null && (
        <Stack role="status" aria-label={`Loading ${id}`}>
          <Skeleton h={24} w="60%" />
          <Skeleton h={160} />
        </Stack>
      )}
      <ErrorMessage error={found.error} retry={() => void found.refetch()} />
      {isMissing && <OtherEnvironment page={`${parent.page}/${id}`} />}
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
