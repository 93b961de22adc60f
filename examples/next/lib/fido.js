import { ServiceFido } from '@servicefido/node';

let client;

/** Client of the server, made at the first call: `next build` has no key. The key never reaches the browser. */
export const fido = () =>
  (client ??= new ServiceFido({
    baseUrl: process.env.SERVICEFIDO_URL ?? 'http://localhost:8080',
    key: process.env.SERVICEFIDO_KEY,
  }));
