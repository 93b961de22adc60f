import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Creates a parameter decorator that reads from the request: `@CurrentRp() rp: RelyingParty`. */
export const fromRequest = <T>(read: (request: Request) => T, ...enhancers: ParameterDecorator[]) =>
  createParamDecorator(
    (_: unknown, context: ExecutionContext): T =>
      read(context.switchToHttp().getRequest<Request>()),
    enhancers,
  );
