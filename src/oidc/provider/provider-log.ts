import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { KoaContextWithOIDC, Provider, errors } from 'oidc-provider';
import { answerOutage } from './outages.js';

type Refusal = errors.OIDCProviderError & { readonly scope?: string };

/** Characters of a value of the request in the log. */
const MAX_VALUE = 500;

/** Logs faults, also those that Koa would print to the console; an outage is none. */
export function logFaults(provider: Provider): void {
  provider.on('server_error', (ctx, error) => {
    if (!answerOutage(ctx, error)) logFault(ctx.req, error);
  });
  const koa: EventEmitter = provider;
  koa.on('error', (error: Error, ctx: { req?: IncomingMessage }) => logFault(ctx.req, error));
}

export function logFault(
  request: IncomingMessage | undefined,
  { name, message, stack }: Error,
): void {
  const { log, requestId } = request as Request;
  log.error({ requestId, name, stack }, message);
}

/** Puts the reason of a refused authorization or token request into the log line of the request. */
export function logRefusals(provider: Provider): void {
  const log = (ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError): void => {
    const request = ctx.req as Request;
    const detail = sentencesOf(ctx, refusal).join('; ');
    request.logFacts = { ...request.logFacts, reason: refusal.message, detail };
  };
  provider.on('authorization.error', log);
  provider.on('grant.error', log);
}

/** No code, secret or token: of the request, only the scope or the address that was refused, and a known client. */
function sentencesOf(
  { oidc }: KoaContextWithOIDC,
  { error_description: description, error_detail: detail, scope }: Refusal,
): string[] {
  const about = [description, detail].filter((one) => one !== undefined);
  const uri = oidc.params?.['redirect_uri'];
  const isAboutUri = about.some((one) => one.includes('redirect_uri'));
  return [
    ...about,
    ...(scope === undefined ? [] : [`scope ${scope.slice(0, MAX_VALUE)}`]),
    ...(scope === 'groups' ? ['to allow it, set "groups" of the client to true'] : []),
    ...(oidc.client ? [`client ${oidc.client.clientId}`] : []),
    ...(isAboutUri && typeof uri === 'string' ? [`redirect_uri ${uri.slice(0, MAX_VALUE)}`] : []),
  ];
}
