import { shareBrowser } from './support/browser.js';
import './enrol.suite.js';
import './my-keys.suite.js';
import './related-origins.suite.js';
import './tenants.suite.js';

shareBrowser();
