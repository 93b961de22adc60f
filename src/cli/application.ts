import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import type { ServerOptions } from '../config/server-options.js';

/** Warnings, plainly. An error is thrown too, and becomes the one line that is printed. */
const WARNINGS: LoggerService = {
  log: () => undefined,
  warn: (message) => console.error(message),
  error: () => undefined,
};

/** Runs an action with the application's services, without serving. */
export async function withApplication(
  options: ServerOptions,
  action: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule.with(options), {
    logger: WARNINGS,
    abortOnError: false,
  });
  try {
    await action(app);
  } finally {
    await app.close();
  }
}
