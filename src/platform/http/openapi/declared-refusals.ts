import type { Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { refusalsOf } from '../../errors/refusals.js';
import type { Refusal } from '../../errors/refusals.js';
import { DtoPipe, refusalsOfDto } from '../../validation/dto.pipe.js';

/** Nest's metadata on the parameters of a handler: their places, and the pipes that they pass through. */
type RouteArguments = Readonly<
  Record<string, { readonly index: number; readonly pipes: readonly unknown[] }>
>;

/** The refusals of a handler's guards, interceptors and pipes, which come before the handler itself. */
export function refusalsBefore(prototype: object, name: string): readonly Refusal[] {
  const handler = Reflect.get(prototype, name) as object;
  const inFront = [GUARDS_METADATA, INTERCEPTORS_METADATA].flatMap((kind) =>
    [prototype.constructor, handler].flatMap(
      (place) => (Reflect.getMetadata(kind, place) as readonly object[] | undefined) ?? [],
    ),
  );
  return [...inFront.flatMap(refusalsOf), ...refusalsOfParameters(prototype, name)];
}

/**
 * The refusals of the pipes: the codes of a DTO's rules, and those for a body that is missing or too large.
 */
function refusalsOfParameters(prototype: object, name: string): readonly Refusal[] {
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly Type[];
  const taken = Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name) as
    RouteArguments | undefined;
  return Object.entries(taken ?? {}).flatMap(([key, { index, pipes }]) => {
    const dto = types[index];
    // For our own decorators Nest writes a random word here, which may begin with a digit.
    const kind = Number(key.split(':')[0]);
    const ofPath: readonly Refusal[] = kind === RouteParamtypes.PARAM ? ['E0047R'] : [];
    if (!dto || !pipes.some(isDtoPipe)) return ofPath;
    const ofBody: readonly Refusal[] =
      kind === RouteParamtypes.BODY ? ['E0001R', 'E0041R', 'E0048R'] : [];
    return [...ofPath, ...ofBody, ...refusalsOfDto(dto)];
  });
}

const isDtoPipe = (pipe: unknown): boolean =>
  typeof pipe === 'function' && (pipe === DtoPipe || pipe.prototype instanceof DtoPipe);
