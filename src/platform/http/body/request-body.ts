import { isUtf8 } from 'node:buffer';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import express, { type Request, type RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error.js';
import { problem } from '../../errors/reasons.js';
import { CATALOGUE } from '../../errors/catalogue.js';
import { isObject } from '../../validation/field-validator.js';
import { joinMiddlewares } from '../express-routing.js';

const LIMIT = 64 * 1024;

/** Reads the body of an HTML form of at most 64 KiB; a field that is sent twice becomes an array. */
export const formBody = (): RequestHandler =>
  express.urlencoded({ extended: false, limit: LIMIT, inflate: false });

/**
 * Refuses compressed bodies before anything reads them.
 *
 * @throws ApiError E0048R, which says that only `identity` is accepted (RFC 9110 §15.5.16)
 */
export const uncompressedOnly: RequestHandler = ({ headers }, _, next) => {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (coding === 'identity') return next();
  const accepted = { headers: { 'Accept-Encoding': 'identity' } };
  next(new ApiError('E0048R', 'request.compressed', {}, accepted));
};

/** Refuses a POST without form fields (E0048R). */
@Injectable()
export class FormGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, body } = context.switchToHttp().getRequest<Request>();
    if (method !== 'POST' || isObject(body)) return true;
    throw ApiError.unsupportedType('request.notForm', 'application/x-www-form-urlencoded');
  }
}

const JSON_TEXT = /^\s*[{[]/;

/**
 * Refuses JSON with the content type of a form, which is curl's default (E0048R): it would be read as a form without
 * the fields of the call.
 */
@Injectable()
export class NoJsonFormGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const body: unknown = request.body;
    if (isJson(request) || !isObject(body)) return true;
    if (JSON_TEXT.test(Object.keys(body)[0] ?? '')) throw notJson();
    return true;
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads JSON bodies of at most 64 KiB, or of other types and sizes. JSON has no parameter `charset`, so any is ignored (RFC 8259 §11), and the bytes
 * must be UTF-8 (§8.1). Bodies of another type are not read; `JsonGuard` refuses them because of their type.
 */
export function jsonBody({ types = JSON_TYPE, limit = LIMIT } = {}): RequestHandler {
  const type = isOfType(types);
  return joinMiddlewares(express.raw({ type, limit, inflate: false }), parsedJson);
}

const parsedJson: RequestHandler = (request, _, next) => {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes)) return next();
  if (!isUtf8(bytes)) return next(new ApiError('E0001R', 'request.notUtf8'));
  try {
    request.body = bytes.length === 0 ? {} : JSON.parse(bytes.toString().replace(/^\uFEFF/, ''));
  } catch (cause) {
    const advice = problem('request.notJson');
    return next(new ApiError('E0001R', CATALOGUE.E0001R[1], {}, { cause, advice }));
  }
  next();
};

/** For calls that have a body: refuses another content type (E0048R), and a body that is not a JSON object (E0001R). */
@Injectable()
export class JsonGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!WITH_BODY.has(request.method)) return true;
    if (!isJson(request)) throw notJson();
    if (!isObject(request.body)) throw new ApiError('E0001R');
    return true;
  }
}

const notJson = () => ApiError.unsupportedType('request.contentType', 'application/json');

const isOfType =
  (types: RegExp) =>
  ({ headers }: Pick<Request, 'headers'>): boolean =>
    types.test(headers['content-type'] ?? '');

const isJson = isOfType(JSON_TYPE);
