import type { Provider } from '@nestjs/common';
import { readPrices } from '../../platform/config/files/price-list.js';
import { serverOptions } from '../../platform/config/server-config.js';

/** Injection token of the prices. */
export const BILLING_PRICES = Symbol('Prices');

/** The prices, read at start; the options have refused a file with mistakes before. */
export const PRICES: Provider = {
  provide: BILLING_PRICES,
  inject: [serverOptions.KEY],
  useFactory: readPrices,
};
