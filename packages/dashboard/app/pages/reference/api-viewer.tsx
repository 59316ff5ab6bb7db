import { useEffect, useRef } from 'react';
import SwaggerUI, { type Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { belowMount } from '../../mount.ts';
import './api-viewer.css';

const METHODS = ['get', 'post', 'delete'];
const Nothing = () => null;
/** There is one server, the mount; and the page has a field for the key. */
const OUR_PAGE: Plugin = {
  components: {
    ServersContainer: Nothing,
    authorizeBtn: Nothing,
    authorizeOperationBtn: Nothing,
  },
  wrapComponents: {
    // The field of a body has no label.
    TextArea:
      (Original, { React }) =>
      (props) =>
        React.createElement(Original, { 'aria-label': 'Request body', ...props }),
  },
};

interface ApiViewerProps {
  readonly canTry: boolean;
  /** The key of requests; empty: none. */
  readonly apiKey: string;
}

/** Swagger UI. */
export function ApiViewer({ canTry, apiKey }: ApiViewerProps) {
  const box = useRef<HTMLDivElement>(null);
  const key = useRef(apiKey);
  key.current = apiKey;
  useEffect(() => {
    SwaggerUI({
      url: belowMount('api/openapi.json'),
      domNode: box.current,
      defaultModelsExpandDepth: -1,
      docExpansion: 'list',
      plugins: [OUR_PAGE],
      requestInterceptor(request) {
        // The document needs the session, and no key.
        if (!request.loadSpec && key.current !== '') {
          request.headers['Authorization'] = `Bearer ${key.current}`;
        }
        return request;
      },
      // The colors of its highlighting have too little contrast.
      syntaxHighlight: { activated: false },
      supportedSubmitMethods: canTry ? METHODS : [],
      validatorUrl: null,
    });
  }, [canTry]);
  return <div ref={box} className="api-viewer" />;
}
