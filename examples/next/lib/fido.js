import { ServiceFido } from '@servicefido/node';

/** Client of the server. The application key never reaches the browser. */
export const fido = new ServiceFido({
  baseUrl: process.env.SERVICEFIDO_URL ?? 'http://localhost:8080',
  key: process.env.SERVICEFIDO_KEY,
});
