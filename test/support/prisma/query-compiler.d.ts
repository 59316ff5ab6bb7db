declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs';
declare module '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs' {
  const wasm: string;
}
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };
