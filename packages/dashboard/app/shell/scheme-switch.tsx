import { NativeSelect, useMantineColorScheme } from '@mantine/core';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Chooses light or dark; by default the page follows the system. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      aria-label="Colors"
      size="xs"
      data={[...SCHEMES]}
      value={colorScheme}
      onChange={(event) => {
        const chosen = SCHEMES.find(({ value }) => value === event.currentTarget.value);
        setColorScheme(chosen?.value ?? 'auto');
      }}
    />
  );
}
