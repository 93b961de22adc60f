import { NestFactory } from '@nestjs/core';
import type { DynamicModule, INestApplicationContext, LoggerService, Type } from '@nestjs/common';
import type { ServerOptions } from '../platform/config/server-config.js';
import { OptionMistakes } from '../platform/config/option-types.js';
import { Epochs } from '../platform/database/epochs.js';
import { ApiError } from '../platform/errors/api-error.js';
import { fieldIn } from '../platform/errors/reasons.js';
import { messageOfError } from '../platform/errors/driver-errors.js';
import { dtoOf } from '../platform/validation/dto.pipe.js';
import { namedHost } from '../platform/validation/values/domain.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { PROGRAM } from '../platform/program.js';
import { CommandLog } from './command-log.js';

type Action<T> = (app: INestApplicationContext) => Promise<T>;

/**
 * Runs an action with all services of the application, without serving.
 *
 * @throws Error if the server has not migrated the database yet
 */
export async function withApplication<T>(options: ServerOptions, action: Action<T>): Promise<T> {
  const { AppModule } = await import('../app.module.js');
  const module = await AppModule.with(options, { migrates: false });
  return withCommandLog(options, module, withKnownDomain(options, action));
}

/**
 * Runs an action with the services that administer tenants, keys and the audit trail.
 *
 * @throws Error if the server has not migrated the database yet
 */
export async function withAdministration<T>(options: ServerOptions, action: Action<T>): Promise<T> {
  const { AdministrationModule } = await import('./administration.module.js');
  const module = AdministrationModule.with(options);
  return withCommandLog(options, module, withKnownDomain(options, action));
}

/** Only the server creates the relying party of `--domain`. */
const withKnownDomain =
  <T>({ domain }: ServerOptions, action: Action<T>): Action<T> =>
  (app) => {
    if (domain !== undefined) relyingPartyOfFlag(app, '--domain', domain);
    return action(app);
  };

/** @throws Error that names the known relying parties if there is none of this domain */
export function relyingPartyOf(app: INestApplicationContext, name: string): RelyingParty {
  const domain = namedHost(name);
  const found = app.get(RelyingPartyCache).current.find(domain);
  if (found) return found;
  throw new Error(
    `There is no relying party ${domain}. ${knownDomains(app)} Add it: ${PROGRAM} relying-party add TENANT ${domain}`,
  );
}

/**
 * The same for a flag.
 *
 * @throws OptionMistakes
 */
export function relyingPartyOfFlag(
  app: INestApplicationContext,
  flag: string,
  domain: string,
): RelyingParty {
  try {
    return relyingPartyOf(app, domain);
  } catch (error) {
    throw new OptionMistakes([`${flag}: ${messageOfError(error)}`]);
  }
}

const SHOWN_DOMAINS = 10;

/** A sentence with the relying parties of the database, at most ten. */
export function knownDomains(app: INestApplicationContext): string {
  const { domains } = app.get(RelyingPartyCache).current;
  if (domains.length === 0) return 'There is none yet.';
  const more = domains.length > SHOWN_DOMAINS ? ` and ${domains.length - SHOWN_DOMAINS} more` : '';
  return `The known ones are: ${domains.slice(0, SHOWN_DOMAINS).join(', ')}${more}.`;
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
 * @param written how the fields are written on the command line, in sentences about them
 * @throws OptionMistakes if one is wrong, as for other mistakes on the command line
 */
export function checkedFields<Dto extends object>(
  dto: Type<Dto>,
  fields: object,
  written: Readonly<Record<string, string>> = {},
): Dto {
  try {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return dtoOf(dto, Object.fromEntries(given));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const field = String(fieldIn(error.problem));
    const { message } = error;
    throw new OptionMistakes([message.replaceAll(`"${field}"`, written[field] ?? `"${field}"`)]);
  }
}

/** Reports on standard error that a list is empty, since standard output is for its lines. */
export function printLines(lines: readonly string[], whatThereIs: string): void {
  if (lines.length === 0) console.error(`There are no ${whatThereIs} yet.`);
  for (const line of lines) console.log(line);
}
