import type { Code } from './catalogue.js';

/** How a call may be refused: a code of the catalogue, or the interface's 403 without one. */
export type Refusal = Code | 'no-account';

const REFUSES = 'servicefido:refuses';

/**
 * With which codes a guard, an interceptor or a pipe refuses. Whatever stands in front of a handler says
 * it once, at its own class, and the OpenAPI document has it of every operation behind it.
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

/** What `Refuses` says of a class; nothing of one without it. */
export const refusalsOf = (target: object): readonly Refusal[] =>
  (Reflect.getMetadata(REFUSES, target) as readonly Refusal[] | undefined) ?? [];
