import type { Request } from 'express';
import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';

/** The request, for handlers that read and write the cookie of its browser's session. */
export const CurrentBrowser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);
