import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { completePage } from './page.js';
import type { PageView } from './page.view.js';

/** Completes the page that is shown instead of an error's own. */
export type Complete = (view: PageView) => PageView;

/** For the handler of a form, which shows the form again where it refuses it. */
export const Completing = createParamDecorator(
  (_: unknown, context: ExecutionContext): Complete => {
    const request = context.switchToHttp().getRequest<Request>();
    return (view) => completePage(view, request);
  },
);
