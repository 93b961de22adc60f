import type { Express } from 'express';

/** A route in Express's router, which its types do not show. */
interface RouteLayer {
  match(path: string): boolean;
  readonly route: { readonly methods: Readonly<Record<string, boolean>> };
}

const isRoute = (layer: unknown): layer is RouteLayer =>
  typeof layer === 'object' && layer !== null && 'route' in layer && layer.route !== undefined;

/** The methods that a path answers to, from Express's own router; empty for an unknown path. */
export function allowedMethods(app: Express, path: string): string[] {
  const layers: readonly unknown[] = app.router.stack;
  const methods = layers
    .filter(isRoute)
    // Only a route for all methods answers TRACE, and such a route only says that the path does not exist.
    .filter((layer) => layer.match(path) && !layer.route.methods['trace'])
    .flatMap((layer) => Object.keys(layer.route.methods));
  return [...new Set(methods.map((method) => method.toUpperCase()))].sort();
}
