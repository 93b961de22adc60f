import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/**
 * The origin that the request was sent to, as the request and trusted proxies tell. The sender can make it
 * up, so use it only where it is on a list.
 */
export const OwnOrigin = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { protocol, host } = context.switchToHttp().getRequest<Request>();
  return `${protocol}://${host}`;
});
