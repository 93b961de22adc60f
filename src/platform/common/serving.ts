import type { HttpAdapterHost } from '@nestjs/core';

/**
 * Whether this process is a server. A command has all services of one, but not its options: it must not judge keys,
 * delete events, send webhooks or fill lists by its own. It has no HTTP adapter.
 */
export const isServing = ({ httpAdapter }: Partial<HttpAdapterHost>): boolean =>
  Boolean(httpAdapter);
