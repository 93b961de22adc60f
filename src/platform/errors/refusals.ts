import type { Code } from './catalogue.js';

/** How a call may be refused: a code of the catalogue, or the interface's 403 without one. */
export type Refusal = Code | 'no-account';

const REFUSES = 'servicefido:refuses';

/**
 * Declares the codes with which a guard, an interceptor or a pipe refuses. The class declares them once, and the
 * OpenAPI document lists them for every operation that it protects.
 *
 * ```ts
 * @Injectable()
 * @Refuses('E0048R', 'E0001R')
 * export class JsonGuard implements CanActivate
 * ```
 */
export const Refuses =
  (...codes: readonly Refusal[]): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(REFUSES, codes, target);
  };

/** The codes that `Refuses` declares for a class; none for a class without it. */
export const refusalsOf = (target: object): readonly Refusal[] =>
  (Reflect.getMetadata(REFUSES, target) as readonly Refusal[] | undefined) ?? [];
