import { useEffect, useState } from 'react';
import { usePlace } from './api/place.ts';

/**
 * What a user has entered into a form. It outlives a visit to the login, but not the page of the
 * form. It is kept by the browser, so it must not hold a secret.
 * @param name of the form
 */
export function useDraft<Draft extends object>(name: string, empty: Draft) {
  const { path } = usePlace();
  const key = `paymount-draft:${path}/${name}`;
  const [draft, setDraft] = useState(() => keptDraft(key, empty));
  useEffect(() => sessionStorage.setItem(key, JSON.stringify(draft)), [key, draft]);
  // The browser does not run this when it leaves for the login.
  useEffect(() => () => sessionStorage.removeItem(key), [key]);
  return [draft, setDraft] as const;
}

/** Fields that an earlier version of the form did not have are empty. */
function keptDraft<Draft extends object>(key: string, empty: Draft): Draft {
  const kept = sessionStorage.getItem(key);
  return kept === null ? empty : { ...empty, ...(JSON.parse(kept) as Partial<Draft>) };
}
