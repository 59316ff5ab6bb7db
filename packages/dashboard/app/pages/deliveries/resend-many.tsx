import { Alert, Button, Checkbox, Group, List, Progress, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import type { Delivery } from '../../api/resources.ts';
import { countOf } from '../../ui/count-of.ts';
import { errorText } from '../../ui/error-message.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { type FailedResend, type Resends, useResends } from './use-resends.ts';
import { whyNotResent } from './why-not-resent.ts';

const NOUN = ['delivery', 'deliveries'] as const;

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: readonly string[], isOn: boolean) => void;
}

const SelectionContext = createContext<Selection>({ ids: new Set(), set: () => undefined });

/** Selects one delivery of a table in `ResendMany`. */
export function SelectDelivery({ delivery }: { delivery: Delivery }) {
  const { ids, set } = use(SelectionContext);
  const reason = whyNotResent(delivery);
  const name = `${delivery.event_type} ${delivery.id}`;
  return (
    <span title={reason}>
      <Checkbox
        size="sm"
        aria-label={reason === undefined ? `Select ${name}` : `${name} cannot be resent: ${reason}`}
        disabled={reason !== undefined}
        checked={reason === undefined && ids.has(delivery.id)}
        onChange={(event) => set([delivery.id], event.currentTarget.checked)}
      />
    </span>
  );
}

interface ResendManyProps {
  /** Those of the page. */
  readonly deliveries: readonly Delivery[];
  /** A table with `SelectDelivery` in each row. */
  readonly children: ReactNode;
}

/** Sends the selected deliveries of a table again. */
export function ResendMany({ deliveries, children }: ResendManyProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const { resends, resend, stop } = useResends();
  const possible = deliveries.filter((delivery) => whyNotResent(delivery) === undefined);
  const chosen = possible.filter(({ id }) => ids.has(id));
  const isBusy = resends !== undefined && resends.done < resends.total;
  const selection = useMemo(
    () => ({
      ids,
      set: (some: readonly string[], isOn: boolean) =>
        setIds(new Set([...ids].filter((id) => !some.includes(id)).concat(isOn ? some : []))),
    }),
    [ids],
  );
  const start = async () => {
    const { failed, total } = await resend(chosen);
    setIds(new Set(failed.map(({ delivery }) => delivery.id)));
    if (failed.length < total) sayDone(`Sent again: ${countOf(total - failed.length, ...NOUN)}.`);
  };
  return (
    <SelectionContext value={selection}>
      {deliveries.length > 0 && (
        <Group mb="xs" gap="md">
          <Checkbox
            label="Select all on this page"
            checked={chosen.length > 0 && chosen.length === possible.length}
            indeterminate={chosen.length > 0 && chosen.length < possible.length}
            disabled={possible.length === 0}
            onChange={(event) =>
              selection.set(
                possible.map(({ id }) => id),
                event.currentTarget.checked,
              )
            }
          />
          <Button
            size="xs"
            variant="default"
            disabled={chosen.length === 0}
            loading={isBusy}
            onClick={() => void start()}
          >
            Resend selected{chosen.length > 0 && ` (${chosen.length})`}
          </Button>
          {isBusy && (
            <Button size="xs" variant="default" onClick={stop}>
              Stop
            </Button>
          )}
        </Group>
      )}
      {resends && <ResendProgress {...resends} />}
      {children}
    </SelectionContext>
  );
}

function ResendProgress({ total, done, failed, stopped }: Resends) {
  return (
    <>
      {done < total && (
        <>
          <Progress value={(100 * done) / total} aria-label="Resent" />
          <Text size="sm" mb="xs">
            {done} of {total}
          </Text>
        </>
      )}
      {stopped > 0 && (
        <Text size="sm" mb="xs" role="status">
          Stopped: {countOf(stopped, ...NOUN)} not sent.
        </Text>
      )}
      {failed.length > 0 && <Failures failed={failed} />}
    </>
  );
}

function Failures({ failed }: { failed: readonly FailedResend[] }) {
  return (
    <Alert color="red" role="alert" mb="md" title={`Not sent: ${countOf(failed.length, ...NOUN)}`}>
      <List size="sm">
        {failed.map(({ delivery, error }) => (
          <List.Item key={delivery.id}>
            <ObjectLink id={delivery.id} />: {errorText(error)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
