import { PrismaPg } from '@prisma/adapter-pg';
import { getPrismaClient } from '@prisma/client/runtime/client';
import orders from './orders.generated.json' with { type: 'json' };

/** What tests use of a client with one model, `Order`. */
export interface OrdersQueries {
  readonly order: { create(args: { readonly data: object }): Promise<unknown> };
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
}
export interface OrdersClient extends OrdersQueries {
  $transaction<Result>(
    work: (tx: OrdersQueries) => Promise<Result>,
    options?: { readonly isolationLevel?: 'RepeatableRead'; readonly timeout?: number },
  ): Promise<Result>;
  $disconnect(): Promise<void>;
}

/**
 * Prisma's own client and query compiler on its adapter for pg. `orders.generated.json` is what
 * `prisma generate` wrote for the model once: the command is a quarter of a gigabyte, and writes nothing
 * before it has downloaded an engine from a host outside the npm registry.
 */
export function openOrders(databaseUrl: string): OrdersClient {
  const Client = getPrismaClient({
    ...orders,
    previewFeatures: [],
    activeProvider: 'postgresql',
    compilerWasm: {
      getRuntime: () => import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs'),
      getQueryCompilerWasmModule: async () => {
        const { wasm } = await import(
          '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs'
        );
        return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
      },
      importName: './query_compiler_fast_bg.js',
    },
  } as never);
  const adapter = new PrismaPg({ connectionString: databaseUrl, max: 4 });
  return new Client({ adapter }) as unknown as OrdersClient;
}
