import { ServiceFido } from '@servicefido/node';

/** The server, called with the application's key: it never reaches the browser. */
export const fido = new ServiceFido({
  baseUrl: process.env.SERVICEFIDO_URL ?? 'http://localhost:8080',
  key: process.env.SERVICEFIDO_KEY,
});
