declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** A component, of the React that is in the bundle. */
  type Component = (props: object) => unknown;
  interface System {
    readonly React: { createElement(component: Component, props: object): unknown };
  }

  /** https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/ */
  export interface Plugin {
    readonly components: Record<string, Component>;
    readonly wrapComponents: Record<string, (original: Component, system: System) => Component>;
  }

  interface OutgoingRequest {
    /** Whether it reads the document itself. */
    readonly loadSpec?: boolean;
    readonly headers: Record<string, string>;
  }

  /** https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ */
  export default function SwaggerUI(options: {
    readonly url: string;
    readonly domNode: HTMLElement | null;
    readonly defaultModelsExpandDepth: number;
    readonly docExpansion: 'list' | 'full' | 'none';
    readonly plugins: readonly Plugin[];
    readonly requestInterceptor: (request: OutgoingRequest) => OutgoingRequest;
    readonly syntaxHighlight: { readonly activated: boolean };
    readonly supportedSubmitMethods: readonly string[];
    readonly validatorUrl: null;
  }): void;
}
