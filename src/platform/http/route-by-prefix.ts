import type { RequestHandler } from 'express';

/** Joins several middlewares into one, so that Express matches the path once and not for each. */
export function chain(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const run = (index: number): void => {
      const handler = handlers[index];
      if (!handler) return next();
      handler(request, response, (error?: unknown) => (error ? next(error) : run(index + 1)));
    };
    run(0);
  };
}

export type Area = readonly [prefix: string, handler: RequestHandler];

/**
 * Sends each request only through the middleware of its area, the first one with a matching prefix: a login
 * should not pass through what pages need.
 */
export function routeByPrefix(areas: readonly Area[], others: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { url } = request;
    const area = areas.find(([prefix]) => url.startsWith(prefix));
    (area ? area[1] : others)(request, response, next);
  };
}
