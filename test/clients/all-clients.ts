import type { Client, Tool } from './client.ts';

const GO: Tool = { name: 'Go', probe: 'go version' };
const JDK: Tool = { name: 'JDK', probe: 'javac --version' };
const MAVEN: Tool = { name: 'Maven', probe: 'mvn --version' };
const NPM: Tool = { name: 'npm', probe: 'npm --version' };
const PYTHON: Tool = { name: 'Python 3 with venv', probe: 'python3 -c "import ensurepip, venv"' };

/** What each program built with a Stripe SDK does, in this order. */
const SDK_CHECKS = [
  'create',
  'capture',
  'times',
  'list',
  'refund',
  'balance',
  'payment method',
  'endpoint',
  'delivery',
  'create subscription',
  'change subscription',
  'invoices',
  'cancel subscription',
  'declined card',
  'revoked key',
];
/** Older SDKs have no method for it. */
const PREVIEW = 'preview';

/** What each program does that was built with a client generated from the OpenAPI documents. */
const GENERATED_CHECKS = ['create', 'capture', 'list', 'refund', 'declined card', 'management'];
const PYTHON_CLIENT = 'PATH="$PWD/venv/bin:$PATH" openapi-python-client generate --meta none';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** Every client of `npm run test:clients`, in the order in which they run. */
export const CLIENTS: readonly Client[] = [
  npmStripe('8'),
  npmStripe('17', [PREVIEW]),
  npmStripe('23', [PREVIEW]),
  stripePython('5'),
  stripePython('16', [PREVIEW]),
  stripeGo('76'),
  stripeGo('85', [PREVIEW]),
  {
    name: 'stripe-java 33',
    tools: [JDK, MAVEN],
    folders: ['java'],
    commands: [
      'mvn -B -q compiler:compile dependency:copy-dependencies',
      "java -cp 'target/classes:target/dependency/*' Program",
    ],
    checks: [...SDK_CHECKS, PREVIEW],
  },
  {
    name: 'openapi-python-client 0.29',
    tools: [PYTHON],
    folders: ['openapi-python'],
    commands: [
      'python3 -m venv venv',
      'venv/bin/pip install -q --no-deps -r requirements.txt',
      `${PYTHON_CLIENT} --output-path api --url "$API_URL/v1/openapi.json"`,
      `${PYTHON_CLIENT} --output-path management --url "$MANAGEMENT_URL/openapi.json"`,
      'venv/bin/python program.py',
    ],
    checks: GENERATED_CHECKS,
  },
  {
    name: 'oapi-codegen 2.8',
    tools: [GO],
    folders: ['openapi-go'],
    commands: [
      `GOBIN="$PWD" go install ${OAPI_CODEGEN}`,
      'mkdir api management',
      './oapi-codegen -generate types,client -package api -o api/api.go "$API_URL/v1/openapi.json"',
      './oapi-codegen -generate types,client -package management -o management/management.go ' +
        '"$MANAGEMENT_URL/openapi.json"',
      'go build -o program .',
      './program',
    ],
    checks: GENERATED_CHECKS,
  },
];

function npmStripe(major: string, more: readonly string[] = []): Client {
  return {
    name: `stripe-node ${major}`,
    tools: [NPM],
    folders: ['node', `node/v${major}`],
    commands: ['npm ci --no-audit --no-fund', 'node program.mjs'],
    checks: [...SDK_CHECKS, ...more, 'under a path'],
  };
}

function stripePython(major: string, more: readonly string[] = []): Client {
  return {
    name: `stripe-python ${major}`,
    tools: [PYTHON],
    folders: ['python', `python/v${major}`],
    commands: [
      'python3 -m venv venv',
      'venv/bin/pip install -q --no-deps -r requirements.txt',
      'venv/bin/python program.py',
    ],
    checks: [...SDK_CHECKS, ...more],
  };
}

function stripeGo(major: string, more: readonly string[] = []): Client {
  return {
    name: `stripe-go ${major}`,
    tools: [GO],
    folders: ['go', `go/v${major}`],
    commands: ['go build -o program .', './program'],
    checks: [...SDK_CHECKS, ...more],
  };
}
