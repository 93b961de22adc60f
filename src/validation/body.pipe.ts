import { Body } from '@nestjs/common';

/** The request's body as it came, of whatever kind. */
export const CheckedBody = (): ParameterDecorator => Body();
