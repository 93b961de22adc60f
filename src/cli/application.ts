import { NestFactory } from '@nestjs/core';
import type { DynamicModule, INestApplicationContext, LoggerService, Type } from '@nestjs/common';
import type { ServerOptions } from '../platform/config/server-config.js';
import { OptionMistakes } from '../platform/config/option-types.js';
import { Epochs } from '../platform/database/epochs.js';
import { ApiError } from '../platform/errors/api-error.js';
import { dtoOf } from '../platform/validation/dto.pipe.js';
import { CommandLog } from './command-log.js';

type Action<T> = (app: INestApplicationContext) => Promise<T>;

/**
 * Runs an action with all services of the application, without serving.
 *
 * @throws Error if the server has not migrated the database yet
 */
export async function withApplication<T>(options: ServerOptions, action: Action<T>): Promise<T> {
  const { AppModule } = await import('../app.module.js');
  return withCommandLog(options, await AppModule.with(options, { migrates: false }), action);
}

/**
 * Runs an action with the services that administer tenants, keys and the audit trail.
 *
 * @throws Error if the server has not migrated the database yet
 */
export async function withAdministration<T>(options: ServerOptions, action: Action<T>): Promise<T> {
  const { AdministrationModule } = await import('./administration.module.js');
  return withCommandLog(options, AdministrationModule.with(options), action);
}

/** Runs a command's action; the audit rows that it writes are in `commands.log`, too. */
export function withCommandLog<T>(
  options: ServerOptions,
  module: DynamicModule,
  action: Action<T>,
): Promise<T> {
  const log = new CommandLog(options);
  return withModule(module, log, async (app) => {
    log.epoch = (await app.get(Epochs).all()).length - 1;
    return action(app);
  });
}

export async function withModule<T>(
  module: DynamicModule,
  logger: LoggerService,
  action: Action<T>,
): Promise<T> {
  const app = await NestFactory.createApplicationContext(module, { logger, abortOnError: false });
  try {
    return await action(app);
  } finally {
    await app.close();
  }
}

export function showSecret(secret: string): void {
  console.log(secret);
  console.error('This is the only time that the secret is shown.');
}

/**
 * Checks the arguments of a command by the same validators as over HTTP.
 *
 * @param fields those that are `undefined` were not given
 * @throws OptionMistakes if one is wrong, as for other mistakes on the command line
 */
export function checkedFields<Dto extends object>(dto: Type<Dto>, fields: object): Dto {
  try {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return dtoOf(dto, Object.fromEntries(given));
  } catch (error) {
    throw error instanceof ApiError ? new OptionMistakes([error.message]) : error;
  }
}

export const commaList = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((item) => item.trim());
