import type { MemberRule } from './check-members.js';

/** Rule of `baseUrl`. Without its scheme, `localhost:8080` would be an address of the scheme `localhost`. */
export const BASE_URL_RULE: MemberRule = {
  mustBe: 'the address of the server with its scheme, for example https://fido.example.com',
  accepts: (value) => /^https?:\/\//i.test(String(value)) && URL.canParse(String(value)),
  presence: 'required',
};

/** Returns the address without a slash at its end, and without the path of the calls. */
export const trimBaseUrl = (baseUrl: string | URL): string =>
  String(baseUrl).replace(/(?:\/fidoapi)?\/*$/, '');
