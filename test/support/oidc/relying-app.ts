import { createServer } from 'node:http';
import express, { type Express } from 'express';
import { listen } from '../listen.js';

/** An application on a port of its own. */
export interface RelyingApp {
  readonly url: string;
  readonly express: Express;
  close(): Promise<void>;
}

export async function startRelyingApp(): Promise<RelyingApp> {
  const app = express();
  const server = createServer(app);
  const port = await listen(server);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://localhost:${port}`, express: app, close };
}
