import { Body, Injectable } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { rulesOf } from './field.js';
import type { Fault } from './field.js';

/** The first broken rule of a body, in the order of the DTO's fields. */
export function faultOf(dto: Type, body: object): Fault | undefined {
  for (const [property, judge] of rulesOf(dto)) {
    const value: unknown = Reflect.get(body, property);
    const fault = judge(value, body);
    if (fault) return fault;
  }
  return undefined;
}

/**
 * The body as its DTO class. Nothing is copied or converted: handlers read the fields they know, and
 * what else a body holds is never looked at.
 *
 * @throws ApiError with the code of the first broken rule
 */
export function checkedBody<Dto extends object>(dto: Type<Dto>, body: unknown): Dto {
  const fault = faultOf(dto, body as object);
  if (!fault) return body as Dto;
  if (typeof fault === 'string') throw new ApiError(fault);
  throw new ApiError(...fault);
}

@Injectable()
export class BodyPipe implements PipeTransform {
  transform(body: unknown, { type, metatype }: ArgumentMetadata): unknown {
    return type === 'body' && metatype ? checkedBody(metatype, body) : body;
  }
}

/**
 * The request's body, held against the rules of its DTO class. It stands in the place of Nest's
 * `@Body()`, which the linter refuses: a pipe for the whole application would wait for each
 * parameter of each handler, too.
 */
export const CheckedBody = (): ParameterDecorator => Body(BodyPipe);
