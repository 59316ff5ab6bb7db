import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { MOUNT, STYLE_NONCE } from './mount.ts';

// A later address of the page must not change where files are.
document.querySelector('base')?.setAttribute('href', MOUNT.href);
// The library that stops the page from scrolling behind a dialog injects a style.
setNonce(STYLE_NONCE);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
