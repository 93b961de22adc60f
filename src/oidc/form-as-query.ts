import type { RequestHandler } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { isObject } from '../platform/validation/field-validator.js';

/**
 * Sends the browser to the same address with the fields of its form as the query.
 *
 * Clients may post the form of a request for a sign-in or sign-out (OpenID Connect Core 1.0 §3.1.2.1, RP-Initiated
 * Logout 1.0 §2). A form of another site brings no cookie with `SameSite=Lax`; the browser sends it with the GET.
 *
 * @throws ApiError E0048R for a body that is not a form
 */
export const formAsQuery: RequestHandler = ({ body }, response) => {
  if (!isObject(body)) {
    throw ApiError.unsupportedType('request.notForm', 'application/x-www-form-urlencoded');
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    // A field that was sent twice stays double: the provider refuses it.
    for (const one of [value].flat()) query.append(name, String(one));
  }
  response.redirect(303, `?${query}`);
};
