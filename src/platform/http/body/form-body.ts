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
