import type { RequestHandler } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { isObject } from '../platform/validation/field-validator.js';

/** Node.js reads 16 KiB of headers, of which the cookies may take a part; proxies often read 8 KiB of an address. */
const MAX_LENGTH = 8000;

/**
 * Sends the browser to the same address with the fields of its form as the query.
 *
 * Clients may post the form of a request for a sign-in or sign-out (OpenID Connect Core 1.0 §3.1.2.1, RP-Initiated
 * Logout 1.0 §2). A form of another site brings no cookie with `SameSite=Lax`; the browser sends it with the GET.
 *
 * @throws ApiError E0048R for a body that is not a form, E0041R for one that is too long for an address
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
  const address = `?${query}`;
  if (address.length > MAX_LENGTH) throw new ApiError('E0041R', 'request.tooLarge');
  response.redirect(303, address);
};
