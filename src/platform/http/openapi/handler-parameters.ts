import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DtoPipe } from '../../validation/dto.pipe.js';

/** The parts of a request that a handler may take. */
type Part = 'body' | 'query' | 'path';

const PARTS: ReadonlyMap<RouteParamtypes, Part> = new Map([
  [RouteParamtypes.BODY, 'body'],
  [RouteParamtypes.QUERY, 'query'],
  [RouteParamtypes.PARAM, 'path'],
]);

interface HandlerParameter {
  readonly part: Part;
  /** The class that `DtoPipe` validates it by. */
  readonly dto?: Type | undefined;
}

/** Nest's metadata on the parameters of a handler: their positions and their pipes. */
type RouteArguments = Readonly<
  Record<string, { readonly index: number; readonly pipes: readonly unknown[] }>
>;

/** The parameters of a handler that come from the request's body, query and path. */
export function handlerParameters(prototype: object, name: string): readonly HandlerParameter[] {
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly Type[];
  const taken = Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name) as
    RouteArguments | undefined;
  return Object.entries(taken ?? {}).flatMap(([key, { index, pipes }]) => {
    // For our own decorators Nest uses a random word here, which may begin with a digit.
    const part = PARTS.get(Number(key.split(':')[0]));
    return part ? [{ part, dto: pipes.some(isDtoPipe) ? types[index] : undefined }] : [];
  });
}

const isDtoPipe = (pipe: unknown): boolean =>
  typeof pipe === 'function' && (pipe === DtoPipe || pipe.prototype instanceof DtoPipe);
