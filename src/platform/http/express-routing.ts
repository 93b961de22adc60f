import type { RequestHandler, Express } from 'express';

/** A route in Express's router, which its types do not declare. */
interface RouteLayer {
  match(path: string): boolean;
  readonly route: { readonly methods: Readonly<Record<string, boolean>> };
}

const isRoute = (layer: unknown): layer is RouteLayer =>
  typeof layer === 'object' && layer !== null && 'route' in layer && layer.route !== undefined;

/** The methods of a path, from Express's own router; empty for an unknown path. */
export function allowedMethods(app: Express, path: string): string[] {
  const layers: readonly unknown[] = app.router.stack;
  const methods = layers
    .filter(isRoute)
    // Only a route for all methods accepts TRACE, and such a route only reports that the path does not exist.
    .filter((layer) => layer.match(path) && !layer.route.methods['trace'])
    .flatMap((layer) => Object.keys(layer.route.methods));
  return [...new Set(methods.map((method) => method.toUpperCase()))].sort();
}

/** Joins several middlewares into one, so that Express matches the path only once. */
export function joinMiddlewares(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const run = (index: number): void => {
      const handler = handlers[index];
      if (!handler) return next();
      handler(request, response, (error?: unknown) => (error ? next(error) : run(index + 1)));
    };
    run(0);
  };
}

export type RouteArea = readonly [prefix: string, handler: RequestHandler];

/**
 * Sends each request only through the middleware of the first area with a matching prefix: a sign-in should not pass
 * through middleware that only pages need.
 */
export function routeByPrefix(areas: readonly RouteArea[], others: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { url } = request;
    const area = areas.find(([prefix]) => url.startsWith(prefix));
    (area ? area[1] : others)(request, response, next);
  };
}
