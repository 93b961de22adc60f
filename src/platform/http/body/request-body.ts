import { isUtf8 } from 'node:buffer';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import express, { type Request, type RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/field-validator.js';

const LIMIT = 64 * 1024;

/** Reads the body of an HTML form of at most 64 KiB; a field that is sent twice becomes an array. */
export const formBody = (): RequestHandler =>
  express.urlencoded({ extended: false, limit: LIMIT, inflate: false });

/** Refuses a POST without form fields (E0048R). */
@Injectable()
export class FormGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, body } = context.switchToHttp().getRequest<Request>();
    if (method !== 'POST' || isObject(body)) return true;
    throw new ApiError('E0048R', 'request.notForm');
  }
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Reads JSON bodies of at most 64 KiB in strict UTF-8, uncompressed. */
export function jsonBody(): RequestHandler {
  return express.json({
    // Bodies of another type are not read; `JsonGuard` refuses them because of their type.
    type: isJson,
    limit: LIMIT,
    inflate: false,
    strict: false,
    verify: (_request, _response, bytes, encoding) => {
      if (encoding !== 'utf-8') throw new ApiError('E0048R');
      if (!isUtf8(bytes)) throw new ApiError('E0001R', 'request.notUtf8');
    },
  });
}

/** For calls that have a body: refuses another content type (E0048R), and a body that is not a JSON object (E0001R). */
@Injectable()
export class JsonGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!WITH_BODY.has(request.method)) return true;
    if (!isJson(request)) throw new ApiError('E0048R');
    if (!isObject(request.body)) throw new ApiError('E0001R');
    return true;
  }
}

const isJson = ({ headers }: Pick<Request, 'headers'>): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
