import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import type { ServerOptions } from '../config/server-options.js';
import { CeremonyStore } from '../fido/ceremony-store.js';

/** Runs an action with the application's services, without serving. */
export async function withApplication(
  options: ServerOptions,
  action: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule.with(options), {
    logger: ['warn', 'error'],
    abortOnError: false,
  });
  try {
    await action(app);
  } finally {
    await closeApplication(app);
  }
}

/** Closes all connections, so that the process can end by itself. */
export async function closeApplication(app: INestApplicationContext): Promise<void> {
  await app.close();
  await app.get(CeremonyStore).close();
}
