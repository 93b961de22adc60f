import type { Provider } from '@nestjs/common';
import { readPrices } from '../../platform/config/files/price-list.js';
import { serverOptions } from '../../platform/config/server-config.js';

/** Injection token of the prices. */
export const BILLING_PRICES = Symbol('Prices');

/** The prices, read at start; the options have already refused a file with errors. */
export const PRICES: Provider = {
  provide: BILLING_PRICES,
  inject: [serverOptions.KEY],
  useFactory: readPrices,
};
