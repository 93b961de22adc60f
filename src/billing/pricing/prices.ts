import type { Provider } from '@nestjs/common';
import { OptionMistakes } from '../../platform/config/load-options.js';
import { readPrices } from '../../platform/config/files/price-list.js';
import { serverOptions } from '../../platform/config/server-config.js';
import type { ServerOptions } from '../../platform/config/server-options.js';

/** Injection token of the prices. */
export const BILLING_PRICES = Symbol('Prices');

/** The prices, read at start; the options have refused a file with mistakes before. */
export const PRICES: Provider = {
  provide: BILLING_PRICES,
  inject: [serverOptions.KEY],
  useFactory: ({ billing }: ServerOptions) => {
    const mistakes: string[] = [];
    const prices = readPrices(billing, mistakes);
    if (mistakes.length > 0) throw new OptionMistakes(mistakes);
    return prices;
  },
};
