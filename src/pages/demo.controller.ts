import { Controller, Get } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { CATALOGUE } from '../platform/errors/catalogue.js';
import { withoutValues } from '../platform/errors/reasons.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { Page } from '../platform/pages/page.interceptor.js';
import type { PageView } from '../platform/pages/page.view.js';

/** The sentence of each code: the answers are in English. A refused user without a usable key has no code. */
const refusals = [...Object.entries(CATALOGUE), ['', [403, 'user.noUsableKey']] as const].map(
  ([code, [, reason]]) => ({ code, problem: withoutValues(reason) }),
);

@Controller('demo')
export class DemoController {
  @Get()
  @Page('demo')
  demo() {
    return {
      title: phrase('layout:nav.demo'),
      texts: 'demo',
      nav: { demo: true },
      styles: ['/static/css/demo.css'],
      scripts: ['/static/js/demo/main.js'],
      refusals,
    } satisfies PageView & Record<string, unknown>;
  }
}

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\])(?=(?::\d{1,5})?$)/;

/**
 * Redirects a browser from a loopback address to `localhost`: an RP ID is a domain, so browsers
 * refuse WebAuthn on pages of an IP address (W3C WebAuthn L3 §5.1.3 step 7).
 */
export function redirectToLocalhost(
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const host = request.headers.host ?? '';
  if (!LOOPBACK_ADDRESS.test(host)) return next();
  const name = host.replace(LOOPBACK_ADDRESS, 'localhost');
  response.redirect(302, `${request.protocol}://${name}${request.originalUrl}`);
}
