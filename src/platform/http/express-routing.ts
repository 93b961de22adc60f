import type { RequestHandler, Express } from 'express';

/** A route in Express's router, which its types do not declare. */
interface RouteLayer {
  match(path: string): false | { readonly params: Readonly<Record<string, string>> };
  readonly route: { readonly methods: Readonly<Record<string, boolean>> };
}

/** The words of pages begin so, as in `/tenants/acme/_keys`. A domain never does. */
const isPageWord = (segment = ''): boolean => segment.startsWith('_');

/** Makes `:domain` match no word of a page, so that the order of these routes does not matter. */
export function keepPageWords(app: Express): void {
  app.param('domain', (_request, _response, next, domain: string) =>
    isPageWord(domain) ? next('route') : next(),
  );
}

const isRoute = (layer: unknown): layer is RouteLayer =>
  typeof layer === 'object' && layer !== null && 'route' in layer && layer.route !== undefined;

/** The methods of a path, from Express's own router; empty for an unknown path. */
export function allowedMethods(app: Express, path: string): string[] {
  const layers: readonly unknown[] = app.router.stack;
  const methods = layers
    .filter(isRoute)
    // Only a route for all methods accepts TRACE, and such a route only reports that the path does not exist.
    .filter(({ route }) => !route.methods['trace'])
    .filter((layer) => {
      const found = layer.match(path);
      return found && !isPageWord(found.params['domain']);
    })
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
