/** Express 4, installed under an alias; what the tests use of it has the types of Express 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
