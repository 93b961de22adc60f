import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Creates a parameter decorator that reads from the request: `@CurrentRp() rp: RelyingParty`. */
export const fromRequest = <T>(read: (request: Request) => T, ...enhancers: ParameterDecorator[]) =>
  createParamDecorator(
    (_: unknown, context: ExecutionContext): T =>
      read(context.switchToHttp().getRequest<Request>()),
    enhancers,
  );

/** The request, for handlers that read its headers, its cookies or an upload, or show a page again. */
export const CurrentRequest = fromRequest((request) => request);

/**
 * The origin of this server as the request or a trusted proxy states it. The sender can forge it, so use it only if it
 * is on a list.
 */
export const OwnOrigin = fromRequest(({ protocol, host }) => `${protocol}://${host}`);
