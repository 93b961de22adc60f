import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import type { ServerOptions } from '../config/server-options.js';

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
    await app.close();
  }
}
