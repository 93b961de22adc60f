import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/**
 * The origin under which the request reached us, as far as it and trusted proxies tell: whoever sends
 * the request can make it up, so that it counts only where it is on a list.
 */
export const OwnOrigin = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { protocol, host } = context.switchToHttp().getRequest<Request>();
  return `${protocol}://${host}`;
});
